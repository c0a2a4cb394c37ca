"""What the product does, one module per family. Called by the rim; knows no protocol and no terminal."""
