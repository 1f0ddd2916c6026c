import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { atLeast, type Finding } from './finding.ts';
import { compare, type Effort } from './load.ts';
import { addAccount } from './seed.ts';
import { builtProgram, makeDataDir, startPeer, startRostra, withFolder, withServers } from './server.ts';

/** How much of the speed of a bare insert a draft is to have, by the connections that ask at the same time. */
const AIMS = Object.freeze([
  { connections: 1, aim: 0.65 },
  { connections: 16, aim: 1.2 },
  { connections: 64, aim: 1.8 },
]);

const ACCOUNT = 'acc_00000000000000000000000000';
const BODY = JSON.stringify({ text: 'A sentence or two, as long as what people write.', account_ids: [ACCOUNT] });

/** Drafts by REST and by MCP, beside a bare Koa route that reads as much JSON and flushes one insert for each request. */
export function benchWrites(effort: Effort): Promise<readonly Finding[]> {
  return withFolder(async (folder) => {
    const dataDir = join(folder, 'data');
    const headers = { authorization: `Bearer ${await makeDataDir(dataDir)}`, 'content-type': 'application/json' };
    addAccount(join(dataDir, 'rostra.db'), { id: ACCOUNT, platform: 'bluesky', user: 'did:plc:bench' });
    const copy = join(folder, 'copy');
    cpSync(dataDir, copy, { recursive: true });
    const program = builtProgram();
    const started = [
      startRostra(dataDir, { program }),
      startRostra(copy, { program }),
      startPeer('bareInsert', { file: join(folder, 'bare.db') }),
    ];
    return withServers(started, async ([rest, mcp, bare]) => {
      const findings: Finding[] = [];
      const draft = { method: 'POST' as const, path: '/v1/posts', body: BODY };
      const call = { method: 'POST' as const, path: '/mcp', body: callOf(JSON.parse(BODY) as object) };
      const accepting = { ...headers, accept: 'application/json, text/event-stream' };
      for (const { connections, aim } of AIMS) {
        const contenders = [
          { name: 'rostra', ...rest!, requests: [draft], headers, connections },
          { name: 'bare', ...bare!, requests: [draft], headers, connections },
        ];
        const byRest = await compare(contenders, effort);
        const [, peer] = contenders;
        const ours = { name: 'rostra', ...mcp!, requests: [call], headers: accepting, connections };
        const byMcp = await compare([ours, peer!], effort);
        const title = (door: string) => `a draft by ${door} beside a bare flushed insert, ${connections} at once`;
        findings.push(
          { what: title('REST'), ...atLeast(aim, byRest.ratio('bare')), note: byRest.describe('bare') },
          { what: title('MCP'), ...atLeast(aim, byMcp.ratio('bare')), note: byMcp.describe('bare') },
        );
      }
      return findings;
    });
  });
}

const callOf = (args: object) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'create_post', arguments: args } });
