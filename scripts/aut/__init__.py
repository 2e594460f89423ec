"""Training of the offline scorer of uses; needs the extra ``train``, onnx and onnxruntime."""
