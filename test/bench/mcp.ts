import { join } from 'node:path';
import { atLeast, shown, type Finding } from './finding.ts';
import { compare, type Effort } from './load.ts';
import type { RpcAnswers } from './peers.ts';
import { makeDataDir, startPeer, startRostra, withFolder, withServers, type Running } from './server.ts';

/** Tools that ask neither the database nor anybody else: one takes an argument, the other answers twice as much. */
const ASKED = Object.freeze([
  { method: 'tools/call', params: { name: 'get_constraints', arguments: { platform: 'bluesky' } } },
  { method: 'tools/call', params: { name: 'list_plans', arguments: {} } },
  { method: 'tools/list', params: {} },
]);

type Asked = Readonly<{ method: string; params: Readonly<{ name?: string }> }>;
type Result = Readonly<{ structuredContent?: Record<string, unknown>; tools?: object[] }>;

/** `tools/call` and `tools/list` of the whole server, beside a bare Koa route and the SDK's stock server. */
export function benchMcp(effort: Effort): Promise<readonly Finding[]> {
  return withFolder(async (folder) => {
    const dataDir = join(folder, 'data');
    const headers = {
      authorization: `Bearer ${await makeDataDir(dataDir)}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    return withServers([startRostra(dataDir)], async ([rostra]) => {
      const results: Record<string, Result> = {};
      for (const asked of ASKED) results[nameOf(asked)] = await ask(rostra!, asked, headers);
      const answers = { results } satisfies RpcAnswers;
      return withServers([startPeer('bareRpc', answers), startPeer('stock', answers)], async ([bare, stock]) => {
        const findings: Finding[] = [];
        for (const asked of ASKED) {
          refuseDifferent(asked, results[nameOf(asked)]!, await ask(bare!, asked, headers));
          const stocked = await ask(stock!, asked, headers);
          if (asked.params.name) refuseDifferent(asked, results[nameOf(asked)]!, stocked);
          else if (!stocked.tools?.length) throw new Error('the stock server lists no tools');
          findings.push(...(await measured(asked, { rostra: rostra!, bare: bare!, stock: stock! }, headers, effort)));
        }
        return findings;
      });
    });
  });
}

async function measured(
  asked: Asked,
  servers: Readonly<Record<'rostra' | 'bare' | 'stock', Running>>,
  headers: Record<string, string>,
  effort: Effort,
): Promise<readonly Finding[]> {
  const requests = [{ method: 'POST' as const, path: '/mcp', body: message(asked) }];
  const contenders = Object.entries(servers).map(([name, { url, pid }]) => ({ name, url, pid, headers, requests }));
  const compared = await compare(contenders, effort);
  const [bare, stock] = [compared.ratio('bare'), compared.ratio('stock')];
  const isCall = asked.method === 'tools/call';
  const what = (other: string) => `${nameOf(asked)} beside ${other}`;
  const judged = isCall ? atLeast(0.85, bare) : shown(bare);
  const factor = atLeast(isCall ? 20 : 40, stock, 1);
  return [
    { what: what('a bare Koa route'), ...judged, note: compared.describe('bare') },
    { what: what('the stock SDK server'), ...factor, note: compared.describe('stock') },
  ];
}

const nameOf = ({ method, params }: Asked) => params.name ?? method;

const message = (asked: Asked) => JSON.stringify({ jsonrpc: '2.0', id: 1, ...asked });

async function ask({ url }: Running, asked: Asked, headers: Record<string, string>): Promise<Result> {
  const response = await fetch(`${url}/mcp`, { method: 'POST', headers, body: message(asked) });
  const text = await response.text();
  // The stock server answers a single message as a stream of events.
  const json = text.startsWith('{') ? text : /^data: (.*)$/m.exec(text)?.[1];
  const { result } = JSON.parse(json ?? '{}') as { result?: Result };
  if (result === undefined) throw new Error(`${url} did not answer ${nameOf(asked)}`);
  return result;
}

/** A peer that says less than we do would be faster for it. */
function refuseDifferent(asked: Asked, ours: Result, theirs: Result): void {
  const part = (result: Result) => JSON.stringify(result.structuredContent ?? result.tools);
  if (part(ours) !== part(theirs)) throw new Error(`a peer answers something else to ${nameOf(asked)}`);
}
