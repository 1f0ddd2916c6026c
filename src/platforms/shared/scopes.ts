import type { PlatformSetting } from '#kernel/config/names.ts';
import { tableOf } from '#kernel/text/table.ts';
import type { Scopes } from '../app/scopes.ts';
import type { Capability } from '../support.ts';

/** What does not work without a scope, in words for people; `unless`: scopes that grant the same. */
type Loss = string | Readonly<{ without: string; unless: readonly string[] }>;

/** Features that need at least one of these scopes. */
export type Need<S extends string = string> = readonly [features: readonly Capability[], ...oneOf: S[]];

type Declared<S extends string> = Readonly<{
  setting: `${string}_SCOPES`;
  title: string;
  losses: Readonly<Record<S, Loss>>;
  needs?: readonly Need<NoInfer<S>>[];
  /** The scopes requested by default; all if absent. */
  requestedScopes?: readonly string[];
  /** The scopes of the sandbox's app; all if absent. */
  sandbox?: readonly string[];
  /** The setting with a login configuration, which is requested in place of scopes. */
  config?: PlatformSetting;
  /** Converts a scope as written in the setting to the platform's name of it. */
  nameOf?(word: string): string;
}>;

const WORDS = /^[\w.:/-]+(?:[\s,]+[\w.:/-]+)*$/;

/** Declares the scopes of an app. They are configurable, as one scope the app lacks fails the whole consent. */
export function declareScopes<S extends string>({
  setting: name,
  title,
  losses,
  needs = [],
  config,
  nameOf = String,
  ...declared
}: Declared<S>): Scopes {
  const table: ReadonlyMap<string, Loss> = tableOf(losses);
  const all = [...table.keys()];
  const { requestedScopes: byDefault = all, sandbox = all } = declared;
  const effectOf = (loss: Loss) => (typeof loss === 'string' ? loss : loss.without);
  const isCovered = (scope: string, loss: Loss, granted: readonly string[]) =>
    [scope, ...(typeof loss === 'string' ? [] : loss.unless)].some((one) => granted.includes(one));
  const setting: PlatformSetting = {
    name,
    meaning: `The permissions that the login asks for on ${title}, separated by spaces or commas: those that your app has.`,
    otherwise: byDefault.join(' '),
    parse(value, wrong) {
      if (!WORDS.test(value)) wrong(`must be permissions separated by spaces or commas, such as ${byDefault[0]}`);
      return [...new Set(value.split(/[\s,]+/).map(nameOf))].join(' ');
    },
    sandbox: sandbox.join(' '),
    everywhere: true,
  };
  const wantedIn = (settings: Readonly<Record<string, string>>) =>
    config && settings[config.name] !== undefined ? [] : (settings[name]?.split(' ') ?? byDefault);
  return Object.freeze({
    setting,
    ...(config && { config }),
    byDefault,
    effects: new Map([...table].map(([scope, loss]) => [scope, effectOf(loss)])),
    wantedIn,
    lacking: (granted) =>
      needs.flatMap(([features, ...oneOf]) => (oneOf.some((scope) => granted.includes(scope)) ? [] : features)),
    reported: (settings, granted) =>
      granted === undefined
        ? {}
        : {
            scopes_granted: granted,
            scopes_missing: wantedIn(settings).filter((scope) => !granted.includes(scope)),
            unavailable: [...table]
              .filter(([scope, loss]) => !isCovered(scope, loss, granted))
              .map(([scope, loss]) => ({ scope, effect: effectOf(loss) })),
          },
  });
}
