import { join } from 'node:path';
import { describe } from 'vitest';
import { requireClient } from '../clients/installed.ts';
import { isUnpacked, place } from './unpacked.mjs';

type Values = Readonly<Record<string, unknown>>;
type Condition = Readonly<Record<string, readonly unknown[]>>;
type Property = Readonly<{ name: string; default: unknown; displayOptions?: { show?: Condition; hide?: Condition } }>;
type Node = Readonly<{
  description: Readonly<{ properties: readonly Property[] }>;
  execute(this: object): Promise<readonly [readonly Readonly<{ json: any }>[]]>;
}>;
type Asked = Readonly<{
  method: string;
  url?: string;
  uri?: string;
  body?: unknown;
  qs?: Readonly<Record<string, string | number | boolean | undefined>>;
  headers?: Readonly<Record<string, string | number>>;
  json?: boolean;
  resolveWithFullResponse?: boolean;
  formData?: Readonly<
    Record<string, Readonly<{ value: Buffer; options: Readonly<{ filename: string; contentType: string }> }>>
  >;
}>;
export type File = Readonly<{ bytes: Buffer; fileName: string; mimeType: string }>;

const FOLDER = join(place, 'dist', 'nodes');
const isInstalled = isUnpacked();
if (!isInstalled) process.stderr.write("n8n's own nodes: skipped, run node test/wire/n8n-nodes/install.mjs first\n");

/** Tests of what install.mjs has unpacked; they are skipped where it was not run. */
export const describeNodes = describe.skipIf(!isInstalled);

/** A node of the package, as n8n makes it; one of several versions is given what they share. */
export const loadNode = (file: string, name: string, ...shared: readonly object[]): Node =>
  new (requireClient(join(FOLDER, file)) as Record<string, new (...given: readonly object[]) => Node>)[name]!(
    ...shared,
  );

/** The defaults of what the editor shows for some values. */
function shownDefault(node: Node, name: string, values: Values): unknown {
  const isShown = ({ displayOptions: { show = {}, hide = {} } = {} }: Property) =>
    Object.entries(show).every(([other, allowed]) => other.startsWith('@') || allowed.includes(values[other])) &&
    !Object.entries(hide).some(([other, refused]) => refused.includes(values[other]));
  return node.description.properties.find((one) => one.name === name && isShown(one))?.default;
}

/** What n8n hands to nodes for their requests; `at` says where each host is in truth. */
function makeHelpers(token: string, at: Readonly<Record<string, string>>, file?: File) {
  const addressOf = (url: string, qs: Asked['qs'] = {}) => {
    const [host, there] = Object.entries(at).find(([one]) => url.startsWith(one)) ?? ['', ''];
    const address = new URL(there + url.slice(host.length));
    for (const [name, value] of Object.entries(qs))
      if (value !== undefined) address.searchParams.set(name, String(value));
    return address;
  };

  function bodyOf({ body, formData }: Asked): RequestInit['body'] {
    if (formData) {
      const form = new FormData();
      for (const [name, { value, options }] of Object.entries(formData))
        form.set(name, new Blob([new Uint8Array(value)], { type: options.contentType }), options.filename);
      return form;
    }
    if (body === undefined || Buffer.isBuffer(body)) return body && new Uint8Array(body);
    return JSON.stringify(body);
  }

  async function request(asked: Asked): Promise<unknown> {
    const { method, url = asked.uri!, qs, json, headers = {} } = asked;
    const body = bodyOf(asked);
    const type = typeof body === 'string' && json ? { 'content-type': 'application/json' } : {};
    const sent = Object.fromEntries(
      Object.entries({ ...type, ...headers })
        .map(([name, value]) => [name.toLowerCase(), String(value)] as const)
        .filter(([name]) => name !== 'content-length' && !(asked.formData && name === 'content-type')),
    );
    const answer = await fetch(addressOf(url, qs), { method, headers: sent, ...(body !== undefined && { body }) });
    const text = await answer.text();
    const read: unknown = /^[[{]/.test(text) ? JSON.parse(text) : text;
    const { status: statusCode } = answer;
    if (statusCode >= 400 || statusCode === 308)
      throw Object.assign(new Error(`${statusCode} - ${text}`), {
        statusCode,
        error: read,
        response: { status: statusCode, body: read },
      });
    return asked.resolveWithFullResponse
      ? { statusCode, headers: Object.fromEntries(answer.headers), body: read }
      : read;
  }
  const authorized = (_type: string, asked: Asked) =>
    request({ ...asked, headers: { ...asked.headers, authorization: `Bearer ${token}` } });

  return {
    request,
    httpRequest: request,
    requestOAuth2: authorized,
    requestWithAuthentication: authorized,
    returnJsonArray: (data: unknown) => [data].flat().map((json) => ({ json })),
    constructExecutionMetaData: (data: unknown) => data,
    assertBinaryData: () => ({ ...file, data: file?.bytes.toString('base64') }),
    getBinaryDataBuffer: async () => file?.bytes,
  };
}

/** Runs one operation of a node on one item, with a token; answers the items that it made. */
export async function runNode(
  node: Node,
  values: Values,
  { token, at, file }: Readonly<{ token: string; at: Readonly<Record<string, string>>; file?: File }>,
): Promise<readonly any[]> {
  const [items] = await node.execute.call({
    getInputData: () => [{ json: {} }],
    getNodeParameter: (name: string, _item: number, otherwise?: unknown) =>
      name in values ? values[name] : (shownDefault(node, name, values) ?? otherwise),
    getCredentials: async () => ({ accessToken: token }),
    getNode: () => ({ id: '1', name: 'node', type: 'node', typeVersion: 2, position: [0, 0], parameters: {} }),
    continueOnFail: () => false,
    helpers: makeHelpers(token, at, file),
  });
  return items.map(({ json }) => json);
}
