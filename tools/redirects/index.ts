import { toolset } from '#call/tool.ts';
import { createRedirectUri } from './create-redirect-uri.ts';
import { deleteRedirectUri } from './delete-redirect-uri.ts';
import { listRedirectUris } from './list-redirect-uris.ts';

export const redirects = toolset('redirects', 'Redirect addresses', 'Where browsers go after connecting.', [
  listRedirectUris,
  createRedirectUri,
  deleteRedirectUri,
]);
