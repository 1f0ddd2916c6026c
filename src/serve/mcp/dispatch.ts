import { callTool } from './calls.ts';
import type { Exchange, Method, World } from './exchange.ts';
import { listedPrompts } from './prompts.ts';
import { complete, getPrompt, readResource } from './reads.ts';
import { getSkill, listedSkills, SKILLS_EXTENSION } from './documents/skills.ts';
import {
  answerOf,
  isLegacyVersion,
  isRecord,
  LEGACY_VERSIONS,
  MODERN_VERSIONS,
  refuse,
  RPC,
  type Answer,
  type Era,
  type Params,
  type Refusal,
} from './json-rpc.ts';

/** How long clients may cache a list. Releases, scopes and subscriptions change it. */
const LIST_TTL_MS = 300_000;

/** Returns the function that handles requests. Everything that does not depend on a request is prepared here. */
export function makeDispatch(world: World): (exchange: Exchange) => Promise<Answer | Refusal> {
  const methods: Readonly<Record<Era, ReadonlyMap<string, Method>>> = {
    legacy: new Map([...legacyMethods(world), ...sharedMethods(world)]),
    modern: new Map([...modernMethods(world), ...sharedMethods(world)]),
  };
  return async function dispatch(exchange) {
    const extended = world.extension && (await world.extension.method(exchange));
    if (extended) return extended;
    const method = methods[exchange.era].get(exchange.method);
    if (method) return method(exchange);
    return { ...refuse(RPC.methodNotFound, `There is no method ${exchange.method}.`), status: 404 };
  };
}

export function capabilitiesOf({ catalogue, prompts, completions, skills, extension }: World, era: Era): object {
  return {
    tools: {},
    ...(!catalogue.empty && { resources: {} }),
    ...(prompts.size > 0 && { prompts: {} }),
    ...(completions.length > 0 && { completions: {} }),
    ...(skills.length > 0 && { extensions: { [SKILLS_EXTENSION]: {} } }),
    ...extension?.capabilities[era],
  };
}

function legacyMethods(world: World): [string, Method][] {
  const capabilities = capabilitiesOf(world, 'legacy');
  const greet = (protocolVersion: string) =>
    answerOf({ protocolVersion, capabilities, serverInfo: world.serverInfo, instructions: world.instructions });
  return [
    [
      'initialize',
      ({ params }) => {
        const { protocolVersion, capabilities: theirs, clientInfo } = params;
        if (typeof protocolVersion !== 'string' || !isRecord(theirs) || !isRecord(clientInfo)) {
          return refuse(RPC.invalidParams, 'initialize needs protocolVersion, capabilities and clientInfo.');
        }
        return greet(isLegacyVersion(protocolVersion) ? protocolVersion : LEGACY_VERSIONS[0]);
      },
    ],
    ['ping', () => ({ inner: '' })],
  ];
}

function modernMethods(world: World): [string, Method][] {
  const discovered = answerOf(
    {
      supportedVersions: MODERN_VERSIONS,
      capabilities: capabilitiesOf(world, 'modern'),
      instructions: world.instructions,
    },
    LIST_TTL_MS,
  );
  return [['server/discover', () => discovered]];
}

function sharedMethods(world: World): [string, Method][] {
  const { catalogue, prompts, skills, listed } = world;
  const methods: [string, Method][] = [
    ['tools/list', ({ params, view, caller }) => page(params, listed(view, caller))],
    ['tools/call', (exchange) => callTool(world, exchange)],
  ];
  if (!catalogue.empty) {
    methods.push(
      ['resources/list', ({ params, caller }) => page(params, catalogue.listed(caller))],
      ['resources/templates/list', ({ params, caller }) => page(params, catalogue.templates(caller))],
      ['resources/read', (exchange) => readResource(world, exchange)],
    );
  }
  if (prompts.size > 0) {
    const listed = listedPrompts(prompts);
    methods.push(
      ['prompts/list', ({ params }) => page(params, listed)],
      ['prompts/get', ({ params }) => getPrompt(world, params)],
    );
  }
  if (skills.length > 0) {
    const entries = listedSkills(skills);
    methods.push(
      ['skills/list', ({ params }) => page(params, entries)],
      ['skills/get', ({ params }) => getSkill(skills, params, LIST_TTL_MS)],
    );
  }
  if (world.completions.length > 0) methods.push(['completion/complete', (exchange) => complete(world, exchange)]);
  return methods;
}

/** Every list has one page, so any non-empty cursor is invalid. */
function page(params: Params, inner: string): Answer | Refusal {
  const { cursor = '' } = params;
  if (cursor !== '') return refuse(RPC.invalidParams, 'This list has one page; the cursor is not ours.');
  return { inner, ttlMs: LIST_TTL_MS };
}
