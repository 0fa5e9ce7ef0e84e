"""The functions behind `nn.functional`, a file for each subject."""
