import type { OperationName } from '../operations.ts';
import { DENIED } from '../page.ts';

/** An operation that pages call, or that is behind a form or a page to which they link. */
export type Operation =
  | OperationName
  | 'connect_account'
  | 'create_key'
  | 'import_posts'
  | 'list_audit'
  | 'list_keys'
  | 'list_people'
  | 'list_redirect_uris'
  | 'patch_me';

/** Whether the role of the signed-in person allows an operation. */
export const may = (operation: Operation): boolean => !DENIED.has(operation);
