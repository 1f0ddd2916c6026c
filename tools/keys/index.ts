import { toolset } from '#call/tool.ts';
import { createKey } from './create-key.ts';
import { listKeyScopes } from './list-key-scopes.ts';
import { listKeys } from './list-keys.ts';
import { revokeKey } from './revoke-key.ts';
import { rotateKey } from './rotate-key.ts';
import { updateKey } from './update-key.ts';

export const keys = toolset('keys', 'API keys', 'Keys for programs and assistants.', [
  listKeys,
  createKey,
  updateKey,
  rotateKey,
  revokeKey,
  listKeyScopes,
]);
