import type Koa from 'koa';
import { openBluesky } from '#sandbox/bluesky/index.ts';
import { openSandbox, TWINS, type Sandbox, type SandboxOptions } from '#sandbox/network.ts';

/** Most tests connect people of Bluesky, whose simulator is therefore there at once. */
const twins = TWINS.map((entry) => (entry.slug === 'bluesky' ? { ...entry, make: openBluesky } : entry));

/**
 * The sandbox of a test, with its control API. One in memory has nothing to go on with, so it is opened by the first
 * who needs it: half of the tests need none, and every simulator has its tables and people to make.
 */
export function openTestSandbox(options: SandboxOptions): Sandbox {
  const open = () => openSandbox({ twins, ...options, control: true });
  if (options.file !== ':memory:') return open();
  let opened: Sandbox | undefined;
  let answer: ReturnType<Koa['callback']> | undefined;
  const sandbox = () => (opened ??= open());
  const callback: Koa['callback'] = () => async (req, res) => {
    answer ??= sandbox().app.callback();
    await answer(req, res);
  };
  return Object.freeze({
    app: { callback } as Koa,
    isConsole: (path) => sandbox().isConsole(path),
    open: (network) => sandbox().open(network),
    someoneWithForm: () => sandbox().someoneWithForm(),
    people: () => sandbox().people(),
    posts: (network, person) => sandbox().posts(network, person),
    requests: () => sandbox().requests(),
    setFault: (fault) => sandbox().setFault(fault),
    reset: async () => opened?.reset(),
    settle: async () => opened?.settle(),
    close: () => opened?.close(),
  } satisfies Sandbox);
}
