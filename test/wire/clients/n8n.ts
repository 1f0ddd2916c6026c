import type { IncomingHttpHeaders } from 'node:http';
import { requireClient } from './installed.ts';
import type { Json } from '../../harness/world.ts';

/**
 * What n8n hands to a node while it runs one, as far as the nodes of the package use it. Requests leave as n8n
 * sends them: through axios, with no content type where there is no body.
 */
type Values = Readonly<Record<string, unknown>>;
export type Item = Readonly<{ json: Json }>;
export type Credentials = Readonly<{ apiKey: string; baseUrl: string }>;
export type Binary = Readonly<{ bytes: Buffer; fileName: string; mimeType: string }>;

type Property = Readonly<{
  name: string;
  default: unknown;
  required?: boolean;
  displayOptions?: { show?: Readonly<Record<string, readonly unknown[]>> };
  options?: readonly { value: string }[];
}>;
type NodeType = Readonly<{
  description: Readonly<{ properties: readonly Property[] }>;
  execute(this: object): Promise<[readonly Item[]]>;
}>;
type WebhookAnswer = Readonly<{
  noWebhookResponse?: boolean;
  webhookResponse?: unknown;
  workflowData?: readonly (readonly Item[])[];
}>;
type TriggerType = Readonly<{
  description: Readonly<{ properties: readonly Property[] }>;
  methods: { loadOptions: { getEvents(this: object): Promise<readonly { name: string; value: string }[]> } };
  webhookMethods: { default: Record<'checkExists' | 'create' | 'delete', (this: object) => Promise<boolean>> };
  webhook(this: object): Promise<WebhookAnswer>;
}>;
type CredentialType = Readonly<{
  authenticate: { properties: { headers: Readonly<Record<string, string>> } };
  test: { request: { baseURL: string; url: string } };
}>;
type RequestOptions = Readonly<{
  method: string;
  baseURL?: string;
  url: string;
  body?: unknown;
  qs?: Values;
  json?: boolean;
  headers?: Readonly<Record<string, string>>;
  encoding?: 'arraybuffer';
  returnFullResponse?: boolean;
}>;
type AxiosRequest = { data?: unknown; headers: { setContentType(value: false, rewrite: boolean): void } };
type Axios = {
  request(options: object): Promise<{ status: number; headers: object; data: unknown }>;
  interceptors: { request: { use(change: (request: AxiosRequest) => AxiosRequest): void } };
};

const PACKAGE = 'n8n-nodes-socialapi/dist';

/** The two nodes and the credential of the package, as n8n makes them. */
export function loadNodes() {
  const { SocialApi } = requireClient(`${PACKAGE}/nodes/SocialApi/SocialApi.node.js`);
  const { SocialApiTrigger } = requireClient(`${PACKAGE}/nodes/SocialApiTrigger/SocialApiTrigger.node.js`);
  const { SocialApiApi } = requireClient(`${PACKAGE}/credentials/SocialApiApi.credentials.js`);
  return {
    node: new SocialApi() as NodeType,
    trigger: new SocialApiTrigger() as TriggerType,
    credential: new SocialApiApi() as CredentialType,
  };
}

/** The operations that the node offers, as `resource operation`. */
export function operationsOf({ description: { properties } }: NodeType): string[] {
  const resources = properties.find(({ name }) => name === 'resource')!.options!;
  return resources.flatMap(({ value: resource }) =>
    properties
      .filter(
        ({ name, displayOptions }) => name === 'operation' && displayOptions?.show?.['resource']?.includes(resource),
      )
      .flatMap(({ options }) => options!.map(({ value }) => `${resource} ${value}`)),
  );
}

/** Makes requests as n8n does, with the credential's own rule for authentication. */
function makeHelpers(credential: CredentialType, credentials: Credentials, binary?: Binary) {
  const axios = (requireClient('axios') as { create(defaults: object): Axios }).create({ proxy: false });
  axios.interceptors.request.use((request) => {
    if (request.data === undefined) request.headers.setContentType(false, false);
    return request;
  });

  async function httpRequest(options: RequestOptions): Promise<unknown> {
    const { method, baseURL, url, body, qs, json, headers } = options;
    const isEmpty =
      typeof body === 'object' && body !== null && !Buffer.isBuffer(body) && Object.keys(body).length === 0;
    const answer = await axios.request({
      method,
      ...(baseURL && { baseURL }),
      url,
      ...(qs && { params: qs }),
      ...(body !== undefined && !isEmpty && { data: body }),
      headers: { ...(json && { Accept: 'application/json' }), 'User-Agent': 'n8n', ...headers },
      ...(options.encoding && { responseType: options.encoding }),
    });
    if (!options.returnFullResponse) return answer.data;
    return { statusCode: answer.status, headers: answer.headers, body: answer.data };
  }

  return {
    httpRequest,
    httpRequestWithAuthentication(_type: string, options: RequestOptions) {
      const { headers } = credential.authenticate.properties;
      const filled = Object.entries(headers).map(([name, value]) => [name, fill(value, credentials)] as const);
      return httpRequest({ ...options, headers: { ...options.headers, ...Object.fromEntries(filled) } });
    },
    returnJsonArray: (data: unknown): Item[] => (Array.isArray(data) ? data : [data]).map((json: Json) => ({ json })),
    assertBinaryData: () => ({ fileName: binary!.fileName, mimeType: binary!.mimeType }),
    getBinaryDataBuffer: async () => binary!.bytes,
  };
}

/** Resolves the one kind of expression that the credential uses. */
function fill(expression: string, credentials: Credentials): string {
  return expression
    .replace(/^=/, '')
    .replace(/\{\{\$credentials\.(\w+)\}\}/g, (_, name: string) => credentials[name as keyof Credentials]);
}

/** Reads parameters as the editor shows them: a default where nothing was entered, nothing that is not shown. */
function makeParameters(properties: readonly Property[], values: Values) {
  const shown = properties.filter(({ displayOptions }) =>
    Object.entries(displayOptions?.show ?? {}).every(([name, allowed]) => allowed.includes(valueOf(name))),
  );
  function valueOf(name: string): unknown {
    return name in values ? values[name] : properties.find((property) => property.name === name)?.default;
  }
  const unknown = Object.keys(values).filter((name) => !shown.some((property) => property.name === name));
  if (unknown.length > 0) throw new Error(`the node shows no ${unknown.join(', ')} here`);
  const empty = shown.find(({ name, required, default: otherwise }) => required && (values[name] ?? otherwise) === '');
  if (empty) throw new Error(`the node wants ${empty.name}`);
  return (name: string): unknown => {
    const property = shown.find((one) => one.name === name);
    if (property === undefined) throw new Error(`could not get parameter ${name}`);
    return name in values ? values[name] : property.default;
  };
}

const common = (credentials: Credentials, type: string) => ({
  getCredentials: async () => credentials,
  getNode: () => ({ id: '1', name: type, type, typeVersion: 1, position: [0, 0], parameters: {} }),
});

/** Runs one operation of the node on one item; answers the items it made. */
export async function runNode(
  operation: string,
  values: Values,
  credentials: Credentials,
  binary?: Binary,
): Promise<readonly Item[]> {
  const { node, credential } = loadNodes();
  const [resource, name] = operation.split(' ');
  const parameter = makeParameters(node.description.properties, { ...values, resource, operation: name });
  const [items] = await node.execute.call({
    ...common(credentials, 'socialApi'),
    getInputData: () => [{ json: {} }],
    getNodeParameter: (wanted: string) => parameter(wanted),
    continueOnFail: () => false,
    helpers: makeHelpers(credential, credentials, binary),
  });
  return items;
}

/** Tests a credential as the editor does; fails where the answer is not 2xx. */
export async function testCredential(credentials: Credentials): Promise<unknown> {
  const { credential } = loadNodes();
  const { baseURL, url } = credential.test.request;
  return makeHelpers(credential, credentials).httpRequestWithAuthentication('socialApiApi', {
    method: 'GET',
    baseURL: fill(baseURL, credentials),
    url,
  });
}

/** The trigger of a workflow: its hooks, and what it does with a request that reached n8n. */
export function makeTrigger(url: string, values: Values, credentials: Credentials) {
  const { trigger, credential } = loadNodes();
  const staticData: Record<string, unknown> = {};
  const parameter = makeParameters(trigger.description.properties, values);
  const world = {
    ...common(credentials, 'socialApiTrigger'),
    getWorkflowStaticData: () => staticData,
    getNodeWebhookUrl: () => url,
    getNodeParameter: (wanted: string) => parameter(wanted),
    helpers: makeHelpers(credential, credentials),
  };
  const hooks = trigger.webhookMethods.default;
  return Object.freeze({
    staticData,
    listEvents: () => trigger.methods.loadOptions.getEvents.call(world),
    checkExists: () => hooks.checkExists.call(world),
    create: () => hooks.create.call(world),
    remove: () => hooks.delete.call(world),
    /** Answers the status n8n responds with, and the items a run starts with. */
    async receive(headers: IncomingHttpHeaders, rawBody: Buffer): Promise<{ status: number; run?: readonly Item[] }> {
      let status = 200;
      const response = {
        status(given: number) {
          status = given;
          return response;
        },
        send: () => response,
      };
      const answer = await trigger.webhook.call({
        ...world,
        getRequestObject: () => ({ body: JSON.parse(rawBody.toString('utf8')) as unknown, rawBody }),
        getHeaderData: () => headers,
        getResponseObject: () => response,
      });
      const [run] = answer.workflowData ?? [];
      return { status, ...(run && { run }) };
    },
  });
}
