import type { OauthModel } from '#db/schema/database.ts';
import { sha256 } from '#kernel/sign.ts';

/** The SHA-256 of the secret its holder has. */
export function recordId(model: OauthModel, value: string): string {
  return sha256(`${model}.${value}`);
}

/** Whether a text can be a client id, ours or a URL; others never reach the database. */
export function isClientId(id: string): boolean {
  return /^[\x21-\x7e]{1,2048}$/.test(id);
}
