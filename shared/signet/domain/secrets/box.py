"""One value, encrypted: XSalsa20-Poly1305 under a key that belongs to this machine.

The form is that of the earlier implementation, byte for byte: base64 of nonce and box. The library is loaded when the
first value is.
"""

import base64
import binascii

from signet.errors import SignetError

#: What the key is derived from, before the id of the machine.
KEY_PREFIX = "signet:secrets:"


def key_of(machine_id: str) -> bytes:
    """Return the key of a machine: BLAKE2b, 32 bytes, of prefix and id."""
    from nacl.encoding import RawEncoder
    from nacl.hash import blake2b

    digest: bytes = blake2b(
        f"{KEY_PREFIX}{machine_id}".encode(), digest_size=32, encoder=RawEncoder
    )
    return digest


def seal(key: bytes, value: str, nonce: bytes | None = None) -> str:
    """Return a value encrypted under a nonce of its own, which is random unless it is given."""
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
