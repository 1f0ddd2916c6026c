import { inspect, parseArgs } from 'node:util';
import type { AnyTool } from '#call/tool.ts';
import { isListed } from '#serve/mcp/catalogue.ts';
import { exampleOf, shapeOf, type Shape } from '../harness/calls/inputs.ts';
import { requestOf, TOOLS, type Via } from '../harness/calls/operations.ts';
import { askRest, postTool } from '../harness/calls/requests.ts';
import { openProcesses } from '../harness/processes.ts';
import { placeOf } from '../platforms/conformance/process.ts';
import { garbled, mutated, oneOf, type Random } from './fuzzing/hostile.ts';
import { openTap, resigned } from './fuzzing/pushes.ts';
import { prepare, say, type Stage } from './fuzzing/stage.ts';
import { freePort } from '../harness/sockets.ts';
import { randomOf } from './plans.ts';

const CLIENTS = 8;
const MOST_SHOWN = 20;
const TOLD_EVERY = 10_000;
/** How many of the requests are pushes, and how many of the others are calls of tools. */
const PUSHED = 0.2;
const BY_MCP = 0.5;
/** What would end the key or the accounts that everything else is tried with: called with ids of nothing. */
const ENDING = /^(?:delete_(?:brand|account|webhook|twitter)|revoke_|rotate_|update_key|disconnect_|register_whatsapp)/;

type Answered = Readonly<{ status: number; code: string | undefined; text: string }>;
type Asked = Readonly<{ what: string; input: unknown; answer: Answered }>;

/**
 * Calls every operation over REST and MCP, and pushes as every platform does, with inputs that are nearly right or of
 * ill will; an answer of 5xx that is no refusal of a platform is a failure, and so is an error in the log, as of a job
 * that reads a push.
 */
export async function soakFuzz(args: readonly string[]): Promise<boolean> {
  const { values } = parseArgs({
    args: [...args],
    options: { requests: { type: 'string', default: '20000' }, seed: { type: 'string' } },
  });
  const count = Number(values.requests);
  const seed = Number(values.seed ?? Math.floor(Math.random() * 1e9));
  say(`${count} requests, seed ${seed}`);
  const world = await openProcesses({ oneClock: true });
  const port = String(await freePort());
  const tap = await openTap({ address: world.address, server: `http://127.0.0.1:${port}`, twins: world.twins });
  const seat = world.seat('server', { PORT: port, ROOT_URL: world.address, SANDBOX_URL: tap.twins });
  try {
    const stage = await prepare(world, seat, tap);
    say(
      `${stage.pushes.length} pushes to begin with: ${[...new Set(stage.pushes.map(({ path }) => path))].join(', ')}`,
    );
    const began = performance.now();
    const counts = new Map<string, number>();
    const failures: string[] = [];
    const tell = (done: number) => {
      const kinds = [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([kind, times]) => `${kind}: ${times}`);
      const seconds = ((performance.now() - began) / 1000).toFixed(0);
      say(`${done} requests in ${seconds} s; ${kinds.join(', ')}; ${failures.length} failures`);
    };
    const fail = (failure: string) => {
      if (failures.push(failure) <= MOST_SHOWN) say(`  ${failure}`);
    };
    const ask = (n: number) => askOnce(stage, randomOf(seed + n));
    let next = 0;
    const client = async () => {
      for (let n = next++; n < count; n = next++) {
        if (n > 0 && n % TOLD_EVERY === 0) tell(n);
        const { what, input, answer } = await ask(n)
          .catch(() => ask(n))
          .catch(unanswered);
        const kind = `${what.split(' ')[0]!} ${answer.status}`;
        counts.set(kind, (counts.get(kind) ?? 0) + 1);
        if (!isFailure(answer)) continue;
        const why = answer.code ?? answer.text;
        fail(`seed ${seed} request ${n}: ${what} ${answer.status} ${why}\n    ${show(input)}`);
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
    await placeOf(world, seat).hear();
    for (const line of errorsIn(seat.printed())) fail(line);
    tell(count);
    return failures.length === 0;
  } finally {
    await tap.close();
    await world.close();
  }
}

/** What a server logged as an error. */
const errorsIn = (printed: string): readonly string[] =>
  printed.split('\n').filter((line) => line.startsWith('{"level":"error"'));

/** A request without an answer, also at its second try, is a failure too: an idle connection may just have been closed. */
const unanswered = (error: unknown): Asked => ({
  what: 'none',
  input: undefined,
  answer: { status: 599, code: undefined, text: inspect(error, { depth: 3 }) },
});

const show = (input: unknown) => JSON.stringify(input)?.slice(0, 1500);

/** A platform may refuse or be unavailable, and some do not do everything. */
function isFailure({ status, code = '' }: Answered): boolean {
  if (status < 500 || status === 503) return false;
  return !(code.startsWith('platform.') || (status === 501 && code === 'resource.not_supported'));
}

function askOnce(stage: Stage, random: Random): Promise<Asked> {
  if (stage.pushes.length > 0 && random() < PUSHED) return push(stage, random);
  const via: Via = random() < BY_MCP ? 'mcp' : 'rest';
  return callTool(stage, via, random);
}

const OPERATIONS = { rest: TOOLS, mcp: TOOLS.filter((tool) => tool.stream === undefined && isListed(tool)) };
const shapes = new Map<string, Shape>();

async function callTool(stage: Stage, via: Via, random: Random): Promise<Asked> {
  const { seat, address, things, ids } = stage;
  const tool = oneOf(random, OPERATIONS[via]);
  const known = `${via} ${tool.name}`;
  const shape = shapes.get(known) ?? shapeOf(tool, via);
  shapes.set(known, shape);
  const drawn = new Map(Object.entries(things).map(([name, some]) => [name, oneOf(random, some)]));
  const isEnding = ENDING.test(tool.name);
  const input = mutated(
    shape,
    exampleOf(shape, isEnding ? new Map() : drawn),
    random,
    isEnding ? ['none'] : ids,
  ) as object;
  const key = await keyFor(tool, stage, random);
  const request = via === 'rest' ? writable(() => requestOf(tool, { ...input })) : undefined;
  if (request === undefined) {
    const response = await postTool(address, { Authorization: `Bearer ${key}` }, tool.name, input);
    return { what: `mcp ${tool.name}`, input, answer: mcpAnswer(response.status, await response.text()) };
  }
  const { route, body } = request;
  if (tool.stream !== undefined) return { what: `rest ${route}`, input, answer: await opened(seat.root(), key, route) };
  const { status, body: said } = await askRest(seat.root(), key, route, body);
  return { what: `rest ${route}`, input, answer: { status, code: said?.error?.code, text: show(said) ?? '' } };
}

/** Who calls: what is for people takes a token of the dashboard, and who deletes themselves is somebody else. */
async function keyFor(tool: AnyTool, { key, dashboard, leaving }: Stage, random: Random): Promise<string> {
  if ('dashboard' in tool.access) return dashboard();
  if (tool.name === 'delete_me') return oneOf(random, leaving);
  return key;
}

/** How a stream begins; it is not read. */
async function opened(root: string, key: string, route: string): Promise<Answered> {
  const response = await fetch(root + route.split(' ')[1]!, { headers: { Authorization: `Bearer ${key}` } });
  await response.body?.cancel();
  return { status: response.status, code: undefined, text: route };
}

/** What can be written as a request; half characters and some objects have no place in a path. */
function writable<T>(write: () => T): T | undefined {
  try {
    return write();
  } catch (error) {
    if (error instanceof URIError || error instanceof TypeError) return undefined;
    throw error;
  }
}

/** What a message of MCP says of its call, as a status. */
function mcpAnswer(status: number, text: string): Answered {
  if (status !== 200) return { status, code: undefined, text };
  const { result, error } = JSON.parse(text);
  if (error !== undefined) return { status: error.code === -32_603 ? 500 : 400, code: undefined, text };
  const refused = result.isError ? (result._meta?.['dev.rostra/error'] ?? { status: 500 }) : { status: 200 };
  return { status: refused.status, code: refused.code, text: '' };
}

async function push({ seat, pushes, secrets }: Stage, random: Random): Promise<Asked> {
  const first = oneOf(random, pushes);
  const body = garbledText(first.body, random);
  const { path, headers, body: sent } = resigned(first, body, secrets) ?? { ...first, body };
  const response = await fetch(`${seat.root()}${path}`, { method: 'POST', headers, body: sent });
  return {
    what: `push ${path}`,
    input: sent,
    answer: { status: response.status, code: undefined, text: await response.text() },
  };
}

/** JSON with other values, or now and then a text that was cut. */
function garbledText(text: string, random: Random): string {
  if (random() < 0.05) return text.slice(0, Math.floor(random() * text.length));
  try {
    return JSON.stringify(garbled(JSON.parse(text), random));
  } catch {
    return text;
  }
}
