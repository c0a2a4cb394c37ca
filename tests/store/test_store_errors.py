from __future__ import annotations

import apsw
import pytest

from codeplane.base.errors import CodePlaneError, ErrorCode
from codeplane.store.errors import SQLITE_CODES, from_sqlite, lexical_errors


def test_every_sqlite_exception_is_mapped() -> None:
    raised = {found for found in vars(apsw).values() if isinstance(found, type) and issubclass(found, apsw.Error)} | {
        getattr(apsw, name) for name in dir(apsw) if name.endswith("Error")
    }
    assert raised - set(SQLITE_CODES) == set()


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (apsw.CorruptError, ErrorCode.INDEX_CORRUPT),
        (apsw.NotADBError, ErrorCode.INDEX_CORRUPT),
        (apsw.IOError, ErrorCode.INDEX_CORRUPT),
        (apsw.FullError, ErrorCode.NO_SPACE),
        (apsw.BusyError, ErrorCode.INDEX_LOCKED),
        (apsw.LockedError, ErrorCode.INDEX_LOCKED),
        (apsw.MisuseError, ErrorCode.INTERNAL),
    ],
)
def test_error_codes(kind: type[apsw.Error], code: ErrorCode) -> None:
    assert from_sqlite(kind("message")).code is code


class PanicException(BaseException):
    pass


def test_tantivy_panic_is_corruption() -> None:
    with pytest.raises(CodePlaneError) as raised, lexical_errors():
        raise PanicException("index out of bounds")
    assert raised.value.code is ErrorCode.INDEX_CORRUPT


def test_keyboard_interrupt_passes() -> None:
    with pytest.raises(KeyboardInterrupt), lexical_errors():
        raise KeyboardInterrupt
