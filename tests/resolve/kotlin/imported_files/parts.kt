package parts
class Item
