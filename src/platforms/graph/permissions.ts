import * as z from 'zod';
import { listOf } from './api.ts';

const PERMISSIONS = { method: 'GET', path: '/me/permissions' } as const;
const Permissions = listOf(z.object({ permission: z.string(), status: z.string() }));

/** The scopes that a login granted; the dialog lets people decline some. */
export async function grantedScopes(
  read: (ask: typeof PERMISSIONS, schema: typeof Permissions) => Promise<z.output<typeof Permissions>>,
): Promise<readonly string[]> {
  const { data } = await read(PERMISSIONS, Permissions);
  return data.filter(({ status }) => status === 'granted').map(({ permission }) => permission);
}
