import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { defineTool, toolset, type AnyTool, type Toolset } from '#call/tool.ts';
import { fail } from '#kernel/errors.ts';
import type { Exchange, Extension } from '#serve/mcp/exchange.ts';
import type { Prompt } from '#serve/mcp/prompts.ts';
import type { Resource } from '#serve/mcp/resources.ts';
import { answerOf, isRecord, META, refuse, RPC, type Params, type Refusal } from '#serve/mcp/json-rpc.ts';

/**
 * The tools, resources and prompts the official suite asks for by name. They go through the product's own registry
 * and dispatcher; what the product never sends (images, requests to the client, logs) is made by the extension below.
 */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const WAV = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=';

const text = (value: string) => ({ type: 'text', text: value });
const image = { type: 'image', data: PNG, mimeType: 'image/png' };
const embedded = (uri: string, mimeType: string, value: string) => ({
  type: 'resource',
  resource: { uri, mimeType, text: value },
});
const say = (value: string): object => ({ content: [text(value)] });

/** A tool of the suite; what it answers is made here, or by the extension where `run` is left out. */
function fixture(name: string, run: AnyTool['run'] = async () => ({}), input: z.ZodObject = z.object({})): AnyTool {
  return defineTool({
    name,
    summary: `Fixture ${name} of the conformance suite.`,
    http: { method: 'POST', path: `/fixtures/${name}` },
    effect: 'read',
    access: { open: true },
    input,
    output: z.object({}),
    errors: [],
    run,
  });
}

const native: readonly AnyTool[] = [
  fixture('test_simple_text', async () => ({ text: 'This is a simple text response for testing.' })),
  fixture('test_error_handling', async () =>
    fail('resource.conflict', { message: 'This tool intentionally returns an error for testing' }),
  ),
  fixture('test_tool_with_progress', async (_, { progress }) => {
    for (const step of [0, 50, 100]) progress(step, 100, `Completed step ${step} of 100`);
    return { done: true };
  }),
];

type Raw = (exchange: Exchange) => Promise<object> | object;

const form = (properties: object, required: readonly string[]) => ({ type: 'object', properties, required });

/** Requests the server sends to the client on the stream of a call, waiting for their responses by an id nobody guesses. */
const waiting = new Map<unknown, (message: Params) => void>();

/** An argument of the call, which its input insists on. */
const argumentOf = ({ params }: Exchange, name: string) =>
  (params['arguments'] as Readonly<Record<string, string>>)[name]!;

async function ask(exchange: Exchange, method: string, params: object): Promise<Params> {
  const id = randomUUID();
  const answered = new Promise<Params>((resolve) => waiting.set(id, resolve));
  exchange.send({ jsonrpc: '2.0', id, method, params });
  const { result } = await answered;
  return isRecord(result) ? result : {};
}

async function elicit(exchange: Exchange, message: string, properties: object, required: readonly string[] = []) {
  const requestedSchema = form(properties, required);
  const { action, content } = await ask(exchange, 'elicitation/create', { message, requestedSchema });
  return say(`Elicitation completed: action=${String(action)}, content=${JSON.stringify(content ?? {})}`);
}

const titled = (values: readonly string[], titles: readonly string[]) =>
  values.map((value, index) => ({ const: value, title: titles[index] }));
const options = ['option1', 'option2', 'option3'];

const log = (exchange: Exchange, data: string) =>
  exchange.send({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data } });

const elicitation = (message: string, properties: object) => ({
  method: 'elicitation/create',
  params: { message, requestedSchema: form(properties, Object.keys(properties)) },
});
const sampling = (question: string) => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: text(question) }], maxTokens: 100 },
});
const roots = { method: 'roots/list', params: {} };
const askName = elicitation('What is your name?', { name: { type: 'string' } });
const askConfirm = elicitation('Please confirm', { ok: { type: 'boolean' } });

/** Asks the client for one thing, and says what it answered. */
const asking =
  (key: string, request: object): Raw =>
  (exchange) => {
    const given = answered(exchange, key);
    return given ? say(JSON.stringify(given)) : needInput({ [key]: request });
  };

/** Asks the client to confirm, and for the state of that name that went with the question. */
const confirming =
  (state: string): Raw =>
  (exchange) =>
    answered(exchange, 'confirm') && stateOf(exchange) === state
      ? say('state-ok')
      : needInput({ confirm: askConfirm }, state);

const raw: Readonly<Record<string, Raw>> = {
  test_image_content: () => ({ content: [image] }),
  test_audio_content: () => ({ content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] }),
  test_embedded_resource: () => ({
    content: [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  }),
  test_multiple_content_types: () => ({
    content: [
      text('Multiple content types test:'),
      image,
      embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  }),
  test_tool_with_logging: (exchange) => {
    for (const line of ['Tool execution started', 'Tool processing data', 'Tool execution completed'])
      log(exchange, line);
    return say('Logged three lines.');
  },
  test_logging_tool: (exchange) => {
    const meta = exchange.params['_meta'];
    if (isRecord(meta) && 'io.modelcontextprotocol/logLevel' in meta) log(exchange, 'wanted');
    return say('Logged what was asked for.');
  },
  test_streaming_elicitation: () => needInput({ confirm: elicitation('Go on?', { ok: { type: 'boolean' } }) }),
  test_sampling: async (exchange) => {
    const messages = [{ role: 'user', content: text(argumentOf(exchange, 'prompt')) }];
    const { content } = await ask(exchange, 'sampling/createMessage', { messages, maxTokens: 100 });
    return say(`LLM response: ${JSON.stringify(content)}`);
  },
  test_elicitation: (exchange) => {
    const wanted = { username: { type: 'string' }, email: { type: 'string' } };
    return elicit(exchange, argumentOf(exchange, 'message'), wanted, Object.keys(wanted));
  },
  test_elicitation_sep1034_defaults: (exchange) =>
    elicit(exchange, 'Please check the defaults.', {
      name: { type: 'string', default: 'John Doe' },
      age: { type: 'integer', default: 30 },
      score: { type: 'number', default: 95.5 },
      status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
      verified: { type: 'boolean', default: true },
    }),
  test_elicitation_sep1330_enums: (exchange) =>
    elicit(exchange, 'Please choose.', {
      untitledSingle: { type: 'string', enum: options },
      titledSingle: {
        type: 'string',
        oneOf: titled(['value1', 'value2', 'value3'], ['First Option', 'Second Option', 'Third Option']),
      },
      legacyEnum: {
        type: 'string',
        enum: ['opt1', 'opt2', 'opt3'],
        enumNames: ['Option One', 'Option Two', 'Option Three'],
      },
      untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
      titledMulti: {
        type: 'array',
        items: { anyOf: titled(['value1', 'value2', 'value3'], ['First Choice', 'Second Choice', 'Third Choice']) },
      },
    }),
  test_input_required_result_elicitation: (exchange) =>
    answered(exchange, 'user_name') ? say(`Hello, ${nameIn(exchange)}!`) : needInput({ user_name: askName }),
  test_input_required_result_sampling: asking('capital_question', sampling('What is the capital of France?')),
  test_input_required_result_list_roots: asking('client_roots', roots),
  test_input_required_result_request_state: confirming('confirm'),
  test_input_required_result_tampered_state: confirming('tampered'),
  test_input_required_result_multiple_inputs: (exchange) => {
    const wanted = { user_name: askName, greeting: sampling('Generate a greeting'), client_roots: roots };
    const all = Object.keys(wanted).every((key) => answered(exchange, key));
    return all && stateOf(exchange) === 'multiple' ? say('All answered.') : needInput(wanted, 'multiple');
  },
  test_input_required_result_multi_round: (exchange) => {
    const round = stateOf(exchange);
    if (round === 'round-2' && answered(exchange, 'step2')) return say('Both answered.');
    if (round === 'round-1' && answered(exchange, 'step1')) {
      const color = elicitation('Step 2: What is your favorite color?', { color: { type: 'string' } });
      return needInput({ step2: color }, 'round-2');
    }
    return needInput({ step1: elicitation('Step 1: What is your name?', { name: { type: 'string' } }) }, 'round-1');
  },
  test_input_required_result_capabilities: (exchange) => {
    const able = capabilities(exchange);
    return needInput({
      ...('elicitation' in able && { name: askName }),
      ...('sampling' in able && { greeting: sampling('Generate a greeting') }),
    });
  },
};

function capabilities({ params }: Exchange): Params {
  const meta = params['_meta'];
  const declared = isRecord(meta) ? meta[META.clientCapabilities] : undefined;
  return isRecord(declared) ? declared : {};
}

/** The client's answer under a key; anything that is no answer counts as none. */
function answered({ params }: Exchange, key: string): Params | undefined {
  const responses = params['inputResponses'];
  const response = isRecord(responses) ? responses[key] : undefined;
  return isRecord(response) ? response : undefined;
}

const nameIn = (exchange: Exchange): string =>
  String((answered(exchange, 'user_name')?.['content'] as { name?: unknown } | undefined)?.name);

const needInput = (inputRequests: object, state?: string): object => ({
  resultType: 'input_required',
  inputRequests,
  ...(state && { requestState: seal(state) }),
});

const key = randomBytes(32);
const seal = (state: string): string =>
  `${Buffer.from(state).toString('base64url')}.${createHmac('sha256', key).update(state).digest('base64url')}`;

/** The state a client sent back; undefined when it sent none, and false when it is not what we encrypted. */
function stateOf({ params }: Exchange): string | false | undefined {
  const sent = params['requestState'];
  if (sent === undefined) return undefined;
  if (typeof sent !== 'string') return false;
  const state = Buffer.from(sent.split('.', 1)[0]!, 'base64url').toString();
  return seal(state) === sent ? state : false;
}

const methods: Readonly<Record<string, (exchange: Exchange) => object | Refusal | undefined>> = {
  'resources/subscribe': ({ era }) => (era === 'legacy' ? {} : undefined),
  'resources/unsubscribe': ({ era }) => (era === 'legacy' ? {} : undefined),
  'logging/setLevel': ({ era }) => (era === 'legacy' ? {} : undefined),
  'resources/read': ({ params }) => {
    const uri = String(params['uri']);
    const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
    if (id)
      return {
        contents: [{ uri, mimeType: 'application/json', text: JSON.stringify({ id, data: `Data for ID: ${id}` }) }],
      };
    const document = documents[uri];
    return document && { contents: [{ uri, ...document }] };
  },
  'prompts/get': (exchange) => {
    if (exchange.params['name'] !== 'test_input_required_result_prompt') return undefined;
    if (!answered(exchange, 'user_context')) {
      const context = elicitation('What context should the prompt use?', { context: { type: 'string' } });
      return needInput({ user_context: context });
    }
    return { messages: [{ role: 'user', content: text(JSON.stringify(answered(exchange, 'user_context'))) }] };
  },
};

const documents: Readonly<Record<string, object>> = {
  'test://static-text': { mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
  'test://static-binary': { mimeType: 'image/png', blob: PNG },
  'test://watched-resource': { mimeType: 'text/plain', text: 'Watched resource content' },
};

/** What only the suite needs: results the product never makes, requests to the client, logs, subscriptions. */
export const extension: Extension = {
  capabilities: { legacy: { logging: {}, resources: { subscribe: true } }, modern: {} },
  async method(exchange) {
    const { method, params } = exchange;
    if (method === 'tools/call') {
      const name = String(params['name']);
      if (name === 'test_missing_capability') return refuseWithoutSampling(exchange);
      const make = Object.hasOwn(raw, name) ? raw[name] : undefined;
      if (make === undefined) return undefined;
      if (stateOf(exchange) === false) return refuse(RPC.invalidParams, 'The request state is not ours.');
      return answerOf(await make(exchange));
    }
    const result = methods[method]?.(exchange);
    if (result === undefined) return undefined;
    return answerOf(result, method === 'resources/read' ? 0 : undefined);
  },
  response(message) {
    waiting.get(message['id'])?.(message);
    waiting.delete(message['id']);
  },
};

function refuseWithoutSampling(exchange: Exchange) {
  if ('sampling' in capabilities(exchange)) return answerOf(say('The client can sample.'));
  const refusal = refuse(RPC.missingCapability, 'This tool needs sampling.', {
    requiredCapabilities: { sampling: {} },
  });
  return { ...refusal, status: 400 };
}

const withArguments: Readonly<Record<string, z.ZodObject>> = {
  test_sampling: z.object({ prompt: z.string().describe('Prompt.') }),
  test_elicitation: z.object({ message: z.string().describe('Message.') }),
};

/** The suite's tools as a toolset of the product. */
export const toolsets: readonly Toolset[] = [
  toolset('fixtures', 'Fixtures', 'What the conformance suite calls.', [
    ...native,
    ...Object.keys(raw).map((name) => fixture(name, undefined, withArguments[name])),
    fixture('test_missing_capability'),
  ]),
];

const resource = (uri: string, name: string): Resource => ({
  uri,
  name,
  title: name,
  description: `Fixture ${name} of the conformance suite.`,
  tool: 'test_simple_text',
  ttlMs: 0,
});

export const resources: readonly Resource[] = [
  resource('test://static-text', 'static-text'),
  resource('test://static-binary', 'static-binary'),
  resource('test://watched-resource', 'watched-resource'),
  resource('test://template/{id}/data', 'template'),
];

const prompt = (name: string, takes: readonly string[], write: Prompt['write']): Prompt => ({
  name,
  title: name,
  description: `Fixture ${name} of the conformance suite.`,
  arguments: takes.map((argument) => ({ name: argument, description: argument, required: true })),
  tools: [],
  write,
});

export const prompts: readonly Prompt[] = [
  prompt('test_simple_prompt', [], () => 'This is a simple prompt for testing.'),
  prompt(
    'test_prompt_with_arguments',
    ['arg1', 'arg2'],
    ({ arg1, arg2 }) => `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
  ),
  prompt('test_prompt_with_embedded_resource', ['resourceUri'], ({ resourceUri }) => [
    { role: 'user', content: embedded(resourceUri!, 'text/plain', 'Embedded resource content for testing.') },
    { role: 'user', content: text('Please process the embedded resource above.') },
  ]),
  prompt('test_prompt_with_image', [], () => [
    { role: 'user', content: image },
    { role: 'user', content: text('Please analyze the image above.') },
  ]),
  prompt('test_input_required_result_prompt', [], () => ''),
];
