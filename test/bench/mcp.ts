import { join } from 'node:path';
import { atLeast, shown, type Finding } from './finding.ts';
import { compare, type Contender, type Effort } from './load.ts';
import type { ToldRpc, ToldStock } from './peers.ts';
import { makeDataDir, startPeer, startRostra, withFolder, withServers, type Running } from './server.ts';

/** A tool that asks neither the database nor anybody else, once it is known who calls. */
const CALL = { name: 'get_constraints', arguments: { platform: 'bluesky' } };
const PARAMS: Readonly<Record<string, object>> = { 'tools/call': CALL, 'tools/list': {} };

type Message = Readonly<{ result: { structuredContent?: Record<string, unknown>; tools?: object[] } }>;

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
      const results: Record<string, Message['result']> = {};
      for (const method of Object.keys(PARAMS)) results[method] = await ask(rostra!, method, headers);
      const structured = results['tools/call']!.structuredContent!;
      const peers = [
        startPeer('bareRpc', { results } satisfies ToldRpc),
        startPeer('stock', { structured } satisfies ToldStock),
      ];
      return withServers(peers, async ([bare, stock]) => {
        for (const method of Object.keys(PARAMS)) {
          refuseDifferent(method, results[method]!, await ask(bare!, method, headers));
        }
        refuseDifferent('tools/call', { structuredContent: structured }, await ask(stock!, 'tools/call', headers));
        const servers = { rostra: rostra!, bare: bare!, stock: stock! };
        const measure = (method: string) =>
          compare(
            Object.entries(servers).map(([name, server]) => contender(name, server, method, headers)),
            effort,
          );
        const call = await measure('tools/call');
        const list = await measure('tools/list');
        return [
          {
            what: 'tools/call beside a bare Koa route',
            ...atLeast(0.85, call.ratio('bare')),
            note: call.describe('bare'),
          },
          {
            what: 'tools/call beside the stock SDK server',
            ...atLeast(12, call.ratio('stock'), 1),
            note: call.describe('stock'),
          },
          {
            what: 'tools/list beside a bare Koa route',
            ...shown(list.ratio('bare')),
            note: list.describe('bare'),
          },
          {
            what: 'tools/list beside the stock SDK server',
            ...shown(list.ratio('stock'), 1),
            note: list.describe('stock'),
          },
        ];
      });
    });
  });
}

const message = (method: string) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: PARAMS[method] });

function contender(name: string, { url, pid }: Running, method: string, headers: Record<string, string>): Contender {
  return { name, url, pid, headers, requests: [{ method: 'POST', path: '/mcp', body: message(method) }] };
}

async function ask({ url }: Running, method: string, headers: Record<string, string>): Promise<Message['result']> {
  const response = await fetch(`${url}/mcp`, { method: 'POST', headers, body: message(method) });
  const text = await response.text();
  // The stock server answers a single message as a stream of events.
  const json = text.startsWith('{') ? text : /^data: (.*)$/m.exec(text)?.[1];
  const { result } = JSON.parse(json ?? '{}') as Partial<Message>;
  if (result === undefined) throw new Error(`${url} did not answer ${method}`);
  return result;
}

/** A peer that says less than we do would be faster for it. */
function refuseDifferent(method: string, ours: Message['result'], theirs: Message['result']): void {
  const part = (result: Message['result']) => JSON.stringify(result.structuredContent ?? result.tools);
  if (part(ours) !== part(theirs)) throw new Error(`a peer answers something else to ${method}`);
}
