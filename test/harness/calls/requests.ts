// oxlint-disable-next-line typescript/no-explicit-any -- answers are read by tests that know their shape
export type Json = any;
export type Answer = Readonly<{ status: number; headers: Headers; body: Json }>;
type Headings = Readonly<Record<string, string>>;

/** Calls the REST API of a server; an object is sent as JSON, a key of null sends no Authorization. */
export async function askRest(
  root: string,
  key: string | null,
  call: string,
  body?: unknown,
  headers: Headings = {},
): Promise<Answer> {
  const [method, path] = call.split(' ') as [string, string];
  const isWhole = body instanceof FormData || typeof body === 'string';
  const response = await fetch(root + path, {
    method,
    headers: {
      ...(key !== null && { Authorization: `Bearer ${key}` }),
      ...(body !== undefined && !(body instanceof FormData) && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: isWhole ? body : JSON.stringify(body) }),
    redirect: 'manual',
  }).catch((cause: unknown) => {
    // It fails as one fails that is cut, but says which one it was.
    throw new TypeError(`${method} ${root}${path}: no answer`, { cause });
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json');
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}

/** Posts the call of a tool of MCP. */
export function postTool(root: string, headers: Headings, name: string, input: object = {}): Promise<Response> {
  return fetch(`${root}/mcp`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json', Accept: 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } }),
  });
}

/** Calls a tool of MCP with a key; answers its structured content, or the envelope of the error. */
export async function askTool(root: string, key: string, name: string, input: object = {}) {
  const message = (await (await postTool(root, { Authorization: `Bearer ${key}` }, name, input)).json()) as Json;
  if (message.result === undefined) throw new Error(JSON.stringify(message));
  const { isError = false, structuredContent, content } = message.result;
  const body: Json = isError ? envelopeIn(content) : structuredContent;
  return { isError: isError as boolean, body };
}

/** The envelope of a refused tool, which stands behind the sentence that says what to do. */
export function envelopeIn(content: unknown): Json {
  const [said, envelope, ...more] = content as { type: string; text: string }[];
  const read: Json = JSON.parse(envelope!.text);
  if (said!.text !== read.error.message || more.length > 0) throw new Error(JSON.stringify(content));
  return read;
}
