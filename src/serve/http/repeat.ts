import type { IncomingMessage } from 'node:http';
import { fail } from '#kernel/errors.ts';
import { canonicalJson } from '#kernel/text/json.ts';
import { sha256 } from '#kernel/sign.ts';
import type { Form } from './multipart.ts';

const KEY = /^[\x21-\x7e]{1,255}$/;

export function keyOf({ method, headers }: IncomingMessage): string | undefined {
  const key = headers['idempotency-key'];
  if (method !== 'POST' || key === undefined) return undefined;
  if (typeof key === 'string' && KEY.test(key)) return key;
  fail('validation.field_invalid', {
    message: 'Idempotency-Key must be 1 to 255 visible ASCII characters.',
    meta: { field: 'Idempotency-Key' },
  });
}

/** SHA-256 of the parsed input; a file in a form is represented by the form's hash. */
export function hashOf(input: object, form: Form | undefined): string {
  return sha256(canonicalJson(form === undefined ? input : { ...input, file: form.hash }));
}
