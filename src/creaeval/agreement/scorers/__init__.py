"""Tables about raters and judges by themselves: how lenient, how reliable, how far alike."""
