import { expect, onTestFinished } from 'vitest';
import type { World } from '../../harness/world.ts';
import { startMcpClient } from './mcp-client.ts';
import { faultsOf, type RecordName } from './records.ts';

/** Drives the public MCP client against a world; `used` are the tools that were called with success. */
export async function driveMcp(world: World, used = new Set<string>()) {
  const client = await startMcpClient(world.root, world.key);
  onTestFinished(client.close);
  return Object.freeze({
    client,
    used,
    /** Calls a tool that has to succeed, and holds its answer against what the clients need. */
    async call(tool: string, record: RecordName, input: Record<string, unknown> = {}) {
      used.add(tool);
      const { isError, body } = await client.call(tool, input);
      expect({ tool, isError, why: isError ? body : '' }).toEqual({ tool, isError: false, why: '' });
      expect({ tool, faults: faultsOf(record, body) }).toEqual({ tool, faults: [] });
      return body;
    },
  });
}
