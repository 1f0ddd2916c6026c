import { createHash, randomInt } from 'node:crypto';
import type { Params } from '../../kit/api/params.ts';
import { randomText } from '../../kit/ids.ts';
import { badParam, GraphError, unknownObject } from '../api/errors.ts';
import { seconds } from '../ids.ts';
import { APP, asSession, DATA_LIFE, LONG_LIFE, SHORT_LIFE } from './tokens.ts';
import type { Call, Methods, GraphWorld } from '../world.ts';

const CODE_LIFE = 3_600_000;
/** The fragment of the redirect, which some apps send along with the code. */
const BEHIND_CODE = /#_(?:=_)?$/;

type Consent = Readonly<{
  person: string;
  pages: readonly string[];
  granted: readonly string[];
  requestedScopes: readonly string[];
  redirect_uri: string;
}>;

/** Codes are stored as hashes. Used ones are kept, so that a second use can be refused. */
const codeId = (code: string) => createHash('sha256').update(code).digest('hex');

export type OAuth = Readonly<{
  methods: Methods;
  /** Stores what the person granted and returns a code. */
  consent(consent: Consent): string;
  /** Removes the app from a person's account, which ends all tokens. */
  remove(person: string): void;
  aboutWhom(params: Params): string | undefined;
}>;

/** Uses up the code of a call and returns its person. */
export function redeemCode({ store, nodes, clock }: GraphWorld, params: Params): string {
  const code = params.required('code').replace(BEHIND_CODE, '');
  const redirect = params.required('redirect_uri');
  return store.write(() => {
    const row = nodes.get('code', codeId(code));
    if (row === undefined) throw badCode('Invalid verification code format.');
    if (row.redirect_uri !== redirect)
      throw badCode(
        'Error validating verification code. Please make sure your redirect_uri is identical to the one you used in the OAuth dialog request',
        36008,
      );
    if (row.used) throw badCode('This authorization code has been used.', 36009);
    if (row.at + CODE_LIFE <= clock.now()) throw badCode('This authorization code has expired.', 36007);
    return nodes.change('code', row.id, { used: true }).person;
  });
}

export function requireApp({ tokens }: GraphWorld, params: Params): void {
  if (params.required('client_id') !== APP.id)
    throw new GraphError(101, 'Error validating application. Cannot get application info due to a system error.');
  requireSecret({ tokens }, params);
}

/** Throws code 1 unless the secret is the app's. In other calls code 1 is a temporary failure. */
export function requireSecret({ tokens }: Pick<GraphWorld, 'tokens'>, params: Params): void {
  if (!tokens.knows(params.required('client_secret'))) throw new GraphError(1, 'Error validating client secret.');
}

function makeTokenAnswers(world: GraphWorld, codeLife: () => number) {
  const { tokens } = world;

  const exchangeCode = (params: Params) => bearer(tokens.forPerson(redeemCode(world, params), codeLife()), codeLife());

  function exchangeToken(params: Params): object {
    const actor = asSession(tokens.actor(params.required('fb_exchange_token'), undefined));
    if (actor.kind !== 'user') throw badParam('fb_exchange_token must be a user access token');
    return bearer(tokens.forPerson(actor.claims.person, LONG_LIFE), LONG_LIFE);
  }

  function accessToken({ params }: Call): object {
    requireApp(world, params);
    const type = params.text('grant_type');
    if (type === undefined || type === 'authorization_code') return exchangeCode(params);
    if (type === 'fb_exchange_token') return exchangeToken(params);
    if (type === 'client_credentials') return { access_token: `${APP.id}|${world.appSecret}`, token_type: 'bearer' };
    throw badParam(`Unsupported grant_type: ${type.slice(0, 80)}`);
  }

  return accessToken;
}

function makeDebug({ tokens, nodes }: GraphWorld, aboutPages: RegExp) {
  function debugToken({ params, actor }: Call): object {
    const input = params.required('input_token');
    if (actor.kind === 'page')
      throw badParam(
        'You must provide an app access token, or a user access token that is an owner or developer of the app',
      );
    const claims = tokens.claimsOf(input);
    if (claims === undefined)
      return { data: { error: { code: 190, message: 'Invalid OAuth access token.' }, is_valid: false, scopes: [] } };
    const death = tokens.deathOf(claims);
    const grant = nodes.get('grant', claims.person);
    const scopes = death === 458 ? [] : grantedScopes(claims.person);
    const targets = grant?.pages ?? [];
    return {
      data: {
        app_id: APP.id,
        application: APP.name,
        type: claims.kind === 'page' ? 'PAGE' : 'USER',
        data_access_expires_at: seconds((grant?.login_at ?? claims.issued_at) + DATA_LIFE),
        expires_at: seconds(claims.expires_at),
        issued_at: seconds(claims.issued_at),
        is_valid: death === undefined,
        ...(death !== undefined && {
          error: { code: 190, subcode: death, message: 'The token is not valid any more.' },
        }),
        ...(claims.kind === 'page' && { profile_id: claims.page }),
        scopes,
        granular_scopes: scopes.map((scope) => ({
          scope,
          ...(aboutPages.test(scope) && { target_ids: targets }),
        })),
        user_id: claims.person,
      },
    };
  }

  const grantedScopes = (person: string) =>
    Object.entries(nodes.get('grant', person)?.scopes ?? {}).flatMap(([scope, status]) =>
      status === 'granted' ? [scope] : [],
    );

  return debugToken;
}

/** Codes, tokens and permissions. `aboutPages` matches permissions granted per Page; a `codeLife` of 0 never ends. */
export function makeOAuth(world: GraphWorld, aboutPages: RegExp, codeLife = () => SHORT_LIFE): OAuth {
  const { store, nodes, tokens, people, clock } = world;

  function consent({ person, pages, granted, requestedScopes, redirect_uri }: Consent): string {
    const code = `AQ${randomText(96)}`;
    const now = clock.now();
    store.write(() => {
      const old = nodes.get('grant', person);
      const scopes = Object.fromEntries(
        requestedScopes.map((scope) => [scope, granted.includes(scope) ? ('granted' as const) : ('declined' as const)]),
      );
      nodes.put('grant', {
        id: person,
        at: old?.at ?? now,
        grant_no: old?.grant_no ?? randomInt(1, 2 ** 40),
        scopes: { ...old?.scopes, ...scopes },
        pages,
        login_at: now,
      });
      nodes.put('code', { id: codeId(code), at: now, person, redirect_uri, used: false });
    });
    return code;
  }

  const accessToken = makeTokenAnswers(world, codeLife);

  const debugToken = makeDebug(world, aboutPages);

  /** The caller's id, whose permissions the call reads; others are not found. */
  function ofCaller({ actor }: Call, id: string): string {
    const { claims, kind } = asSession(actor);
    if (kind !== 'user' || claims.person !== id) throw unknownObject(id);
    return id;
  }

  function remove(person: string): void {
    store.write(() => {
      nodes.remove('grant', person);
      // A Page is unsubscribed when the last person who gave the app access to it leaves.
      for (const { page_id } of people.rolesOf(person)) {
        const others = nodes.list('grant').some(({ pages }) => pages.includes(page_id));
        if (!others) nodes.change('page', page_id, { subscription: undefined });
      }
    });
  }

  const methods: Methods = Object.freeze({
    'GET oauth/access_token': {
      params: ['client_id', 'client_secret', 'redirect_uri', 'code', 'grant_type', 'fb_exchange_token'],
      effect: true,
      open: true,
      run: accessToken,
    },
    'POST oauth/access_token': {
      params: ['client_id', 'client_secret', 'redirect_uri', 'code', 'grant_type', 'fb_exchange_token'],
      open: true,
      run: accessToken,
    },
    'GET debug_token': { params: ['input_token'], run: debugToken },
    'GET person/permissions': {
      params: ['permission', 'status'],
      run(call: Call, id: string) {
        const person = ofCaller(call, id);
        const rows = Object.entries(nodes.get('grant', person)?.scopes ?? {}).map(([permission, status]) => ({
          permission,
          status,
        }));
        return { data: rows };
      },
    },
    'DELETE person/permissions': {
      params: ['permission'],
      run(call: Call, id: string) {
        const person = ofCaller(call, id);
        const permission = call.params.text('permission');
        const grant = nodes.get('grant', person);
        if (permission === undefined) remove(person);
        else if (grant !== undefined)
          nodes.change('grant', person, { scopes: { ...grant.scopes, [permission]: 'declined' } });
        return { success: true };
      },
    },
  });

  return Object.freeze({
    methods,
    consent,
    remove,
    aboutWhom(params: Params) {
      const code = params.text('code');
      const token = params.text('fb_exchange_token');
      if (token !== undefined) return tokens.claimsOf(token)?.person;
      return code === undefined ? undefined : nodes.get('code', codeId(code.replace(BEHIND_CODE, '')))?.person;
    },
  });
}

export const bearer = (access_token: string, life: number) => ({
  access_token,
  token_type: 'bearer',
  ...(life > 0 && { expires_in: life / 1000 }),
});
const badCode = (message: string, subcode?: number) =>
  new GraphError(100, message, subcode === undefined ? {} : { subcode });
