import { toolset } from '#call/tool.ts';
import { deleteBrandTwitterCredentials } from './delete-brand-twitter-credentials.ts';
import { deleteTwitterCredentials } from './delete-twitter-credentials.ts';
import { listTwitterCredentials } from './list-twitter-credentials.ts';
import { setBrandTwitterCredentials } from './set-brand-twitter-credentials.ts';
import { setTwitterCredentials } from './set-twitter-credentials.ts';
import { testTwitterCredentials } from './test-twitter-credentials.ts';

export const twitter = toolset('twitter', 'X (Twitter)', 'X: your own app credentials.', [
  listTwitterCredentials,
  setTwitterCredentials,
  deleteTwitterCredentials,
  setBrandTwitterCredentials,
  deleteBrandTwitterCredentials,
  testTwitterCredentials,
]);
