import { z } from 'zod';
import type { Call } from '#call/context.ts';
import type { Caller } from '#call/caller.ts';
import { defineTool, type AnyTool, type Method } from '#call/tool.ts';
import { authorityOver } from '#kernel/authority.ts';

type More = Partial<Omit<AnyTool, 'http' | 'run' | 'input'>> & Readonly<{ status?: number; resume?: unknown }>;

/**
 * An operation for tests, open to everyone and with any answer unless `more` says otherwise. A GET reads and a DELETE
 * deletes; what else it does is an update.
 */
export function toy<S extends z.ZodRawShape>(
  name: string,
  route: `${Method} /${string}`,
  shape: S,
  run: (input: z.output<z.ZodObject<S>>, call: Call, modules: any) => Promise<unknown>,
  { status, ...more }: More = {},
): AnyTool {
  const [method, path] = route.split(' ');
  const effect = ({ GET: 'read', DELETE: 'delete' } as const)[method as 'GET' | 'DELETE'] ?? 'update';
  const doing = { effect, ...(effect !== 'read' && { act: effect === 'delete' ? 'delete' : 'draft' }) };
  const summary = `${name[0]!.toUpperCase()}${name.slice(1).replaceAll('_', ' ')}.`;
  const http = { method, path, ...(status !== undefined && { status }) };
  const shapes = { input: z.object(shape), output: z.looseObject({}) };
  return defineTool({
    name,
    summary,
    http,
    ...doing,
    access: { open: true },
    ...shapes,
    errors: [],
    run,
    ...more,
  } as never);
}

const nobody = () => Promise.reject(new Error('nobody holds this'));

/** For calls that nobody holds, and of which nothing is written down. */
export const freely = {
  held: {
    count: async () => true,
    isAsked: async () => false,
    begun: async () => undefined,
    repeated: async () => undefined,
    storeFile: nobody,
    dropFiles: async () => true,
    hold: nobody,
    claim: nobody,
    answer: nobody,
  },
  audit: { begin: async () => 'aud_1', end: async () => {}, note: async () => {} },
};

/** Who calls toys: an unrestricted key of a workspace on the largest plan. */
export const aCaller: Caller = {
  kind: 'key',
  id: 'key_1',
  name: 'test',
  userId: 'usr_1',
  workspace: { id: 'ws_1', plan: 'enterprise', createdAt: 0, blockedAt: undefined, timezone: 'UTC' },
  authority: authorityOver('ws_1'),
};
