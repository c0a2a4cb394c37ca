from .cart import *
from .items import Item as Thing
