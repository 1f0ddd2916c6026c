import { createServer, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import type { Json } from '../../harness/calls/requests.ts';
import { serveTest } from '../../harness/sockets.ts';

type ToolCall = Readonly<{ tool: string; input: object }>;

/**
 * A model that follows a script, behind Gemini's HTTP contract: it makes one call a turn and then ends. `seen` is what
 * it was shown of each result, `offered` the tools it could have called.
 */
export async function scriptedModel(script: readonly ToolCall[]) {
  const seen: Json[] = [];
  const offered = new Set<string>();
  const left = [...script];
  const server = createServer((req, res) => {
    void (async () => {
      const asked = (await json(req)) as Json;
      for (const { functionResponse } of asked.contents.at(-1).parts) {
        if (functionResponse !== undefined) seen.push(functionResponse.response);
      }
      const declared: readonly Json[] = (asked.tools ?? []).flatMap((group: Json) => group.functionDeclarations ?? []);
      for (const { name } of declared) offered.add(name);
      // Requests without tools are the client's own, such as which model is to answer.
      const next = declared.length === 0 ? undefined : left.shift();
      const call = next && { name: declared.find(({ name }) => name.endsWith(next.tool))?.name, args: next.input };
      answer(res, call ? { functionCall: call } : { text: '{}' });
    })();
  });
  return { url: await serveTest(server), seen, offered };
}

function answer(res: ServerResponse, part: object): void {
  const said = { candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }] };
  res.writeHead(200, { 'content-type': 'text/event-stream' }).end(`data: ${JSON.stringify(said)}\r\n\r\n`);
}
