package all
class One
