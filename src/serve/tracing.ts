import type { IncomingMessage } from 'node:http';
import type { Spanned, Trace } from '#kernel/metrics/trace.ts';
import { areaOf, MCP, REST } from './http/areas.ts';
import type { Invoke } from './invoke.ts';

/** Whether a request comes from a program or assistant, which may have a trace of its own. Platforms never do. */
export function sharesTraces({ url = '' }: IncomingMessage): boolean {
  const path = areaOf(url)?.path;
  return path === REST || path === MCP;
}

/** A request as a span, in the caller's trace if the area allows that. */
export function requestSpan(req: IncomingMessage, requestId: string): Spanned {
  const { method = '' } = req;
  const sent = sharesTraces(req) ? req.headers['traceparent'] : undefined;
  const attributes = { 'http.request.method': method, 'rostra.request_id': requestId };
  return {
    name: method,
    kind: 'server',
    root: true,
    attributes,
    continues: typeof sent === 'string' ? sent : undefined,
  };
}

/** Records each call of an operation as a span with its result. */
export function traceCalls(invoke: Invoke, trace: Trace): Invoke {
  return (tool, input, invocation) => {
    const { facade, requestId } = invocation;
    const attributes = { 'rostra.operation': tool.name, 'rostra.facade': facade, 'rostra.request_id': requestId };
    return trace({ name: tool.name, attributes }, async (span) => {
      const result = await invoke(tool, input, invocation);
      span.set({ 'rostra.status': result.status });
      if (!result.ok) span.fail(result.error.code);
      return result;
    });
  };
}
