import { HOUR, DAY, type Clock } from '#kernel/clock.ts';
import { safeEqual } from '#kernel/sign.ts';
import type { Store } from '../../store.ts';
import type { DocStore } from '../../kit/docs.ts';
import { hmac } from '../../kit/oauth/secrets.ts';
import type { Grant, GraphDocs, Page, Person } from '../docs.ts';
import {
  brokenToken,
  deadToken,
  GraphError,
  mayNotRead,
  mayNotWrite,
  needsPageToken,
  unknownObject,
} from '../api/errors.ts';
import type { People } from '../people/people.ts';

/** The only app of the sandbox; its secret is the sandbox's. */
export const APP = Object.freeze({ id: 'sandbox', name: 'Sandbox app' });

export const SHORT_LIFE = 2 * HOUR;
export const LONG_LIFE = 60 * DAY;
/** How long after the login the app may read a person's data. */
export const DATA_LIFE = 90 * DAY;

type Claims = Readonly<{
  kind: 'user' | 'page';
  person: string;
  page: string;
  session_no: number;
  grant_no: number;
  issued_at: number;
  /** In ms; 0 means never. */
  expires_at: number;
}>;

export type Actor =
  | Readonly<{ kind: 'app'; token: string }>
  | Readonly<{ kind: 'user' | 'page'; token: string; claims: Claims; grant: Grant }>;
export type Session = Extract<Actor, { kind: 'user' | 'page' }>;

export type Tokens = Readonly<{
  issue(claims: Claims): string;
  /** A user token for a person's current session and grant; a `life` of 0 ms never ends. */
  forPerson(person: string, life: number): string;
  /** A system user token that never expires and covers all of a person's Pages. */
  forSystemUser(person: Person, scopes: readonly string[]): string;
  /** A Page token; it never expires if the user token is long-lived. */
  forPage(session: Session, page: string): string;
  claimsOf(token: string): Claims | undefined;
  /** Returns the caller of a token; throws Graph's error if the token is invalid. */
  actor(token: string, proof: string | undefined): Actor;
  knows(appSecret: string): boolean;
  deathOf(claims: Claims): 458 | 460 | 463 | 492 | undefined;
}>;

/** The claims are in the token itself, so that a Page token is the same on every read. */
export function openTokens(
  {
    slug,
    store,
    clock,
    appSecret: ownSecret,
  }: Readonly<{ slug: string; store: Store; clock: Clock; appSecret: string }>,
  nodes: DocStore<GraphDocs>,
  people: People,
): Tokens {
  const secret = store.secret(`${slug} token`);
  const knows = (given: string) => safeEqual(given, ownSecret);
  const mac = (body: string) => hmac(secret, 'sha256', body).digest().subarray(0, 16);

  function issue({ kind, person, page, session_no, grant_no, issued_at, expires_at }: Claims): string {
    const body = [kind, person, page, session_no, grant_no, issued_at, expires_at].join(' ');
    return `EAAS${Buffer.concat([mac(body), Buffer.from(body)]).toString('hex')}`;
  }

  function claimsOf(token: string): Claims | undefined {
    const hex = /^EAAS((?:[0-9a-f]{2}){17,200})$/.exec(token)?.[1];
    if (hex === undefined) return undefined;
    const bytes = Buffer.from(hex, 'hex');
    const body = bytes.subarray(16).toString();
    if (!safeEqual(bytes.toString('hex', 0, 16), mac(body).toString('hex'))) return undefined;
    const [kind, person = '', page = '', session, grant, issued, expires] = body.split(' ');
    return {
      kind: kind === 'page' ? 'page' : 'user',
      person,
      page,
      session_no: Number(session),
      grant_no: Number(grant),
      issued_at: Number(issued),
      expires_at: Number(expires),
    };
  }

  function deathOf(claims: Claims): 458 | 460 | 463 | 492 | undefined {
    const grant = nodes.get('grant', claims.person);
    if (grant === undefined || grant.grant_no !== claims.grant_no) return 458;
    if (people.byId(claims.person)?.session_no !== claims.session_no) return 460;
    const now = clock.now();
    if (claims.expires_at !== 0 && claims.expires_at <= now) return 463;
    if (claims.kind === 'user') return undefined;
    if (grant.login_at + DATA_LIFE <= now) return 463;
    const allowed = grant.pages.includes(claims.page) && people.role(claims.person, claims.page) !== undefined;
    return allowed ? undefined : 492;
  }

  function actor(token: string, proof: string | undefined): Actor {
    if (proof !== undefined) {
      const right = hmac(ownSecret, 'sha256', token).digest('hex');
      if (!safeEqual(proof.toLowerCase(), right))
        throw new GraphError(100, 'Invalid appsecret_proof provided in the API argument', {
          type: 'GraphMethodException',
        });
    }
    const [app, appSecret] = token.split('|');
    if (appSecret !== undefined) {
      if (app !== APP.id || !knows(appSecret)) throw brokenToken('Invalid OAuth access token signature.');
      return { kind: 'app', token };
    }
    const claims = claimsOf(token);
    const grant = claims === undefined ? undefined : nodes.get('grant', claims.person);
    if (claims === undefined) throw brokenToken();
    const death = deathOf(claims);
    if (death !== undefined || grant === undefined) throw deadToken(death ?? 458);
    return { kind: claims.kind, token, claims, grant };
  }

  return Object.freeze({
    issue,
    claimsOf,
    knows,
    deathOf,
    actor,
    forPerson(person: string, life: number) {
      const now = clock.now();
      const { session_no = 0 } = people.byId(person) ?? {};
      const { grant_no = 0 } = nodes.get('grant', person) ?? {};
      const expires_at = life === 0 ? 0 : now + life;
      return issue({ kind: 'user', person, page: '', session_no, grant_no, issued_at: now, expires_at });
    },
    forSystemUser({ id, at, session_no }: Person, wanted: readonly string[]) {
      const pages = people.rolesOf(id).map(({ page_id }) => page_id);
      const scopes = Object.fromEntries(wanted.map((scope) => [scope, 'granted' as const]));
      const fresh = () => ({ id, at, grant_no: clock.now(), scopes, pages, login_at: clock.now() });
      const { grant_no } = nodes.get('grant', id) ?? store.write(() => nodes.put('grant', fresh()));
      return issue({ kind: 'user', person: id, page: '', session_no, grant_no, issued_at: at, expires_at: 0 });
    },
    forPage({ claims }: Session, page: string) {
      const long = claims.expires_at === 0 || claims.expires_at - claims.issued_at > SHORT_LIFE;
      return issue({ ...claims, kind: 'page', page, expires_at: long ? 0 : claims.expires_at });
    },
  });
}

export const holds = ({ grant }: Session, scope: string): boolean => grant.scopes[scope] === 'granted';

/** Returns the session of a person or a Page; throws for the app itself. */
export function asSession(actor: Actor): Session {
  if (actor.kind === 'app')
    throw new GraphError(104, 'A user access token is required to request this resource.', { status: 400 });
  return actor;
}

/** Requires that the caller has access to the account and the permission. */
export function requireGranted(actor: Actor, account: string, scope: string): Session {
  const session = asSession(actor);
  if (!session.grant.pages.includes(account)) throw unknownObject(account, '');
  if (!holds(session, scope)) throw new GraphError(10, `(#10) This call requires the ${scope} permission`);
  return session;
}

/** Requires that the Page itself calls, with all permissions and the task. */
export function requireWrite(
  actor: Actor,
  page: Page,
  people: People,
  { scopes, task }: Readonly<{ scopes: readonly string[]; task: string }>,
): Session {
  const session = asSession(actor);
  if (session.kind !== 'page') throw needsPageToken();
  if (session.claims.page !== page.id) throw mayNotWrite(scopes);
  if (!scopes.every((scope) => holds(session, scope))) throw mayNotWrite(scopes);
  if (people.role(session.claims.person, page.id)?.tasks.includes(task) !== true) throw mayNotWrite(scopes);
  return session;
}

/** Requires that the Page itself calls, or a person with a role on it. */
export function requireRead(actor: Actor, page: string, people: People, scope: string): Session {
  const session = asSession(actor);
  const near =
    session.kind === 'page' ? session.claims.page === page : people.role(session.claims.person, page) !== undefined;
  if (!near || !holds(session, scope)) throw mayNotRead(scope);
  return session;
}
