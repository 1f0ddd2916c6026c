"""Checks one webhook with Python's standard library; call is_genuine from your framework, or run it by hand:
SECRET=<64 hex> python3 verify.py <X-Service-Timestamp> <X-Service-Signature-V2> < raw-body
Ends with 0 when the request is genuine and fresh, and with 1 when it is not.
"""

import hashlib
import hmac
import os
import re
import sys
import time

TOLERANCE_S = 300


def is_genuine(secret: str, timestamp: str, signature: str, raw_body: bytes) -> bool:
    """Whether a request is signed with the secret over the raw bytes, and is neither old nor from the future."""
    if not re.fullmatch("[0-9]{10}", timestamp) or abs(time.time() - int(timestamp)) > TOLERANCE_S:
        return False
    signed = timestamp.encode() + b"." + raw_body
    expected = "sha256=" + hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), signature.encode())


if __name__ == "__main__":
    genuine = is_genuine(os.environ["SECRET"], sys.argv[1], sys.argv[2], sys.stdin.buffer.read())
    sys.exit(0 if genuine else 1)
