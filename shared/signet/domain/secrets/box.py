"""Encrypt and decrypt one value: XSalsa20-Poly1305, as base64 of nonce and box.

The library is loaded with the first value.
"""

import base64
import binascii

from signet.errors import SignetError


def seal(key: bytes, value: str, nonce: bytes | None = None) -> str:
    """Return a value encrypted under a nonce, random by default."""
    from nacl.secret import SecretBox

    return base64.b64encode(bytes(SecretBox(key).encrypt(value.encode(), nonce))).decode()


def opened(key: bytes, ciphertext: str) -> str:
    """Return the value; raises SignetError."""
    from nacl.exceptions import CryptoError
    from nacl.secret import SecretBox

    try:
        return SecretBox(key).decrypt(base64.b64decode(ciphertext, validate=True)).decode()
    except (CryptoError, binascii.Error, ValueError) as error:
        raise SignetError(
            "Decryption failed - key mismatch or corrupted data", "decryption_failed"
        ) from error
