import pytest
from shop import Cart
@pytest.fixture
def cart():
    yield Cart()
