import type { Context } from 'koa';
import type { Clock } from '#kernel/clock.ts';
import { safeEqual } from '#kernel/sign.ts';
import type { TwinError } from '../api/errors.ts';
import type { Params } from '../api/params.ts';
import type { Doc, DocStore } from '../docs.ts';
import { randomText } from '../ids.ts';
import { basicOf } from './secrets.ts';

/** An app that the person `page_id` registered; its id is the client id. */
export type ClientApp = Doc &
  Readonly<{
    page_id: string;
    name: string;
    client_secret: string;
    /** The registered callback; if empty, any address of the product is allowed. */
    callback: string;
    /** A public client: it has no secret and sends its id in the form. */
    is_public: boolean;
  }>;

type Secrets<A> = Omit<A, Exclude<keyof ClientApp, 'client_secret'>>;

/** Stores the apps of customers; `secrets` makes the secrets of a new app, or new ones for an app. */
export function makeClients<A extends ClientApp>(
  docs: DocStore<{ app: A }>,
  clock: Clock,
  secrets: () => Secrets<A>,
  words: Readonly<{ missing(): TwinError; wrong(): TwinError }>,
) {
  const get = (id: string): A | undefined => docs.get('app', id);
  const of = (owner: string) => docs.list('app', { page: owner });

  function make(owner: string, name: string, more: Partial<ClientApp> = {}): A {
    const plain = { id: randomText(25), at: clock.now(), page_id: owner, name, callback: '', is_public: false };
    return docs.put('app', { ...plain, ...secrets(), ...more } as unknown as A);
  }

  return Object.freeze({
    get,
    of,
    make,
    all: () => docs.list('app'),
    by: (field: keyof A & string, value: string) =>
      docs.list('app').find((app) => safeEqual(String(app[field]), value)),
    /** Gives an app to a person who can be connected. Inside a transaction. */
    onboard({ id, name }: Readonly<{ id: string; name: string }>): void {
      if (of(id).length === 0) make(id, `${name}'s app`);
    },
    renew: (id: string): A => docs.change('app', id, secrets() as unknown as Partial<A>),
    remove: (id: string) => docs.remove('app', id),
    origins: (): readonly string[] =>
      docs.list('app').flatMap(({ callback }) => (URL.canParse(callback) ? [new URL(callback).origin] : [])),
    calling(ctx: Context, params: Params): A {
      const basic = basicOf(ctx);
      const app = get(basic?.[0] ?? params.text('client_id') ?? '');
      if (basic === undefined && app?.is_public === true) return app;
      if (basic === undefined) throw words.missing();
      if (app === undefined || !safeEqual(basic[1], app.client_secret)) throw words.wrong();
      return app;
    },
  });
}
