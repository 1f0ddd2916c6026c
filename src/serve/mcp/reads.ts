import { explain } from '#kernel/envelope.ts';
import { invokeFor, silent } from './calls.ts';
import type { Exchange, World } from './exchange.ts';
import { markedBody, markForeign } from './answers/foreign.ts';
import { MARKDOWN } from './documents/skills.ts';
import { suggestions, type Completion } from './prompts.ts';
import {
  answerOf,
  isRecord,
  refuse,
  present,
  RPC,
  type Answer,
  type Era,
  type Params,
  type Refusal,
} from './json-rpc.ts';

const MAX_SUGGESTIONS = 100;

/** Files of skills change only with a release. */
const FILE_TTL_MS = 3_600_000;

/** Responds to `resources/read` with the result of a tool, or a file of a skill. */
export async function readResource(world: World, exchange: Exchange): Promise<Answer | Refusal> {
  const { uri } = exchange.params;
  if (typeof uri !== 'string') return refuse(RPC.invalidParams, 'resources/read needs a uri.');
  const file = world.catalogue.file(uri);
  if (file !== undefined) return answerOf({ contents: [{ uri, mimeType: MARKDOWN, text: file.text }] }, FILE_TTL_MS);
  const found = world.catalogue.find(uri);
  if (found === undefined) return noResource(exchange.era, uri);
  const outcome = await invokeFor(world, exchange, found.entry.tool, found.input, silent);
  if (!outcome.ok) {
    if (outcome.status === 404) return noResource(exchange.era, uri);
    const code = outcome.status < 500 ? RPC.invalidParams : RPC.internalError;
    return refuse(code, explain(outcome.error), { uri, ...markedBody(outcome.body) });
  }
  const contents = [{ uri, mimeType: 'application/json', text: markForeign(JSON.stringify(outcome.body)) }];
  return answerOf({ contents }, found.resource.ttlMs);
}

const noResource = (era: Era, uri: string): Refusal =>
  refuse(
    era === 'modern' ? RPC.invalidParams : RPC.resourceNotFound,
    'There is no such resource. Read one of resources/list.',
    { uri },
  );

export function getPrompt({ prompts }: World, params: Params): Answer | Refusal {
  const { name, arguments: given = {} } = params;
  if (typeof name !== 'string') return refuse(RPC.invalidParams, 'prompts/get needs the name of a prompt.');
  const prompt = prompts.get(name);
  if (prompt === undefined) return refuse(RPC.invalidParams, `Unknown prompt: ${name}. Use one of prompts/list.`);
  const values = isRecord(given) ? present(given) : undefined;
  if (values === undefined || !areTexts(values)) {
    return refuse(RPC.invalidParams, 'The arguments of a prompt must be strings.');
  }
  const missing = prompt.arguments.find((argument) => argument.required && !values[argument.name]);
  if (missing) return refuse(RPC.invalidParams, `Prompt ${prompt.name} needs ${missing.name}.`);
  const written = prompt.write(values);
  const messages = typeof written === 'string' ? [{ role: 'user', content: { type: 'text', text: written } }] : written;
  return answerOf({ description: prompt.description, messages });
}

const areTexts = (values: Record<string, unknown>): values is Record<string, string> =>
  Object.values(values).every((value) => typeof value === 'string');

export async function complete(world: World, exchange: Exchange): Promise<Answer | Refusal> {
  const { ref, argument } = exchange.params;
  if (
    !isRecord(ref) ||
    !isRecord(argument) ||
    typeof argument['name'] !== 'string' ||
    typeof argument['value'] !== 'string'
  ) {
    return refuse(RPC.invalidParams, 'completion/complete needs a ref, and an argument with name and value.');
  }
  const [named, known] =
    ref['type'] === 'ref/prompt' ? ([ref['name'], world.prompts] as const) : ([ref['uri'], world.catalogue] as const);
  if (typeof named !== 'string' || !known.has(named))
    return refuse(RPC.invalidParams, 'There is nothing to complete under this ref.');
  const completion = world.completions.find((candidate) => candidate.argument === argument['name']);
  const values = completion ? await suggest(world, exchange, completion, argument['value']) : [];
  const total = values.length;
  return answerOf({
    completion: { values: values.slice(0, MAX_SUGGESTIONS), total, hasMore: total > MAX_SUGGESTIONS },
  });
}

/** Callers who may not list the items get no suggestions. */
async function suggest(world: World, exchange: Exchange, completion: Completion, typed: string): Promise<string[]> {
  if ('values' in completion) return suggestions(completion, typed, undefined);
  const entry = world.entries.get(completion.tool);
  if (entry === undefined) return [];
  const outcome = await invokeFor(world, exchange, entry.tool, {}, silent);
  return outcome.ok ? suggestions(completion, typed, outcome.body) : [];
}
