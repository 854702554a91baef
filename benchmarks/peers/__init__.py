"""This program's ratings beside those of other libraries: CPU, memory and accuracy, all in one run."""
