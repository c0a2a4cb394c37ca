package all
class Two
