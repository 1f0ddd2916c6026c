import type { OauthModel } from '../db/schema/database.ts';
import { sha256 } from '../src/kernel/sign.ts';

/** Where a record is kept: what its holder holds is a secret, so only a hash of it is stored. */
export function recordId(model: OauthModel, value: string): string {
  return sha256(`${model}.${value}`);
}

/** Client ids are ours, or addresses; whatever else is sent belongs to nobody, and never reaches the database. */
export function isClientId(id: string): boolean {
  return /^[\x21-\x7e]{1,2048}$/.test(id);
}
