"""Write a trained scorer as ONNX: fused for onnxruntime, its weights in eight bits."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

if TYPE_CHECKING:
    from aut.memory import Points

# Smaller ones take no room.
_LARGE = 10_000


def export(points: Points, out: Path) -> None:
    """Write one file."""
    import onnx
    from onnxruntime.transformers import optimizer
    from onnxruntime.transformers.fusion_options import FusionOptions

    encoder = points.model.encoder
    # The exporter cannot follow the choice of an attention kernel.
    encoder.set_attn_implementation("eager")
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "plain.onnx"
        torch.onnx.export(
            points.eval(),
            (torch.ones(2, 7, dtype=torch.int64), torch.ones(2, 7, dtype=torch.int64)),
            str(plain),
            input_names=["input_ids", "attention_mask"],
            output_names=["points"],
            dynamic_axes={
                "input_ids": {0: "uses", 1: "tokens"},
                "attention_mask": {0: "uses", 1: "tokens"},
                "points": {0: "uses"},
            },
            opset_version=17,
            dynamo=False,
        )
        optimized = optimizer.optimize_model(
            str(plain),
            model_type="bert",
            num_heads=encoder.config.num_attention_heads,
            hidden_size=encoder.config.hidden_size,
            optimization_options=FusionOptions("bert"),
            opt_level=0,
        )
    graph = optimized.model
    quantise_weights(graph)
    onnx.save_model(graph, str(out))


def quantise_weights(model: Any) -> None:
    """Keep large weights as signed bytes with a scale for each output, made whole again when they are loaded.

    Activations stay in single precision. Eight-bit activations share one scale for everything in a batch, so
    that a use's score would depend on what it is scored with, and they cost five times the error (0.04
    against 0.008 points).
    """
    from onnx import helper, numpy_helper

    graph = model.graph
    embedded = {
        name for node in graph.node if node.op_type.startswith(("Embed", "Gather")) for name in node.input
    }
    nodes = []
    for weight in list(graph.initializer):
        values = numpy_helper.to_array(weight)
        if values.dtype != np.float32 or values.ndim != 2 or values.size < _LARGE:
            continue
        # A row of an embedding is one token; a column of a matrix is one output.
        axis = 0 if weight.name in embedded else 1
        largest = np.abs(values).max(axis=1 - axis, keepdims=True)
        scale = np.where(largest > 0, largest / 127, 1).astype(np.float32)
        whole = np.clip(np.rint(values / scale), -127, 127).astype(np.int8)
        name = weight.name
        graph.initializer.remove(weight)
        graph.initializer.extend(
            [
                numpy_helper.from_array(whole, f"{name}_bytes"),
                numpy_helper.from_array(scale.ravel(), f"{name}_scale"),
            ]
        )
        nodes.append(
            helper.make_node("DequantizeLinear", [f"{name}_bytes", f"{name}_scale"], [name], axis=axis)
        )
    for node in reversed(nodes):
        graph.node.insert(0, node)
