"""The functions and results of `import binairo_cp`: what the commands do, from Python."""
