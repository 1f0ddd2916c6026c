import type { Docs } from '#sandbox/kit/docs.ts';
import type { TwinOptions } from '#sandbox/kit/options.ts';
import type { Fetching } from '#sandbox/kit/fetching.ts';
import { PUSH_SETTINGS } from '#sandbox/kit/push/pushes.ts';
import type { Settings } from '#sandbox/kit/settings.ts';
import type { PlazaDocs } from './docs.ts';
import type { Pushing } from './pushes.ts';

/** How the network behaves from day to day; lists of ids have commas. */
export const SETTINGS = Object.freeze({
  ...PUSH_SETTINGS,
  /** How long it works on a medium, in milliseconds. */
  work_ms: 0,
  /** Stalls whose lists are refused, and stalls that were given away. */
  closed_stalls: '',
  stalls_given_away: '',
  /** People who take no messages, and people to whom messages get lost. */
  takes_no_messages: '',
  loses_messages: '',
  takes_no_subscriptions: false,
});

export type PlazaSettings = Settings<typeof SETTINGS>;

export type Plaza = Readonly<{
  options: TwinOptions;
  docs: Docs<PlazaDocs>;
  settings: PlazaSettings;
  pushing: Pushing;
  fetching: Fetching;
}>;
