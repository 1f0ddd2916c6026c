import { route, type Caller } from '../../kit/api/routes.ts';
import { noSuchThing } from '../errors.ts';
import type { Parts } from '../parts.ts';
import { EVENT_TYPES } from '../pushes.ts';
import { APP_ID } from '../../kit/oauth/login.ts';
import { ROOT, words, wrap, type Call } from './calls.ts';

export function accessRoutes({ world: { docs, options }, names, login, events }: Parts) {
  /** A call of the app itself, which authenticates in the body. */
  const open = (verb: string, path: string, id: string, secret: string | undefined, run: (call: Call) => unknown) =>
    route<Caller>(verb, `${ROOT}${path}`, { isOpen: true }, (call) => {
      const { ctx, params } = call;
      if (!ctx.path.endsWith('/')) throw words.noSuchPath();
      if (verb === 'POST' && !ctx.is('json')) throw words.invalid('The body must be JSON');
      const isOurs = secret === undefined ? params.text(id) === APP_ID : login.isApp(ctx, params, { id, secret });
      if (!isOurs) throw words.invalid('The app or its secret is incorrect');
      return wrap(run(call));
    });
  const app = (verb: string, path: string, run: (call: Call) => unknown) => open(verb, path, 'app_id', 'secret', run);
  const client = (path: string, run: (call: Call) => unknown) =>
    open('POST', `/tt_user/oauth2/${path}/`, 'client_id', 'client_secret', run);
  const typeIn = ({ params }: Call) => {
    const type = params.oneOf('event_type', EVENT_TYPES);
    if (type === undefined) throw words.invalid('event_type is missing');
    return type;
  };
  const viewOf = (event_type: string) => {
    const callback_url = docs.get('callback', event_type)?.url;
    if (callback_url === undefined) throw noSuchThing('webhook configuration');
    return { app_id: APP_ID, event_type, callback_url };
  };

  return [
    client('token', ({ params }) => login.forBusiness(params, 'authorization_code')),
    client('refresh_token', ({ params }) => login.forBusiness(params, 'refresh_token')),
    client('revoke', ({ params }) => {
      const person = login.business.personOf(params.required('access_token'));
      if (person !== undefined) events.remove('business', person, 5);
    }),
    open('POST', '/tt_user/token_info/get/', 'app_id', undefined, ({ params }) => {
      const { person, scopes } = login.business.grantOf(params.required('access_token'));
      return { app_id: APP_ID, creator_id: names.openId('business', person), scope: scopes.join(',') };
    }),
    app('POST', '/business/webhook/update/', (call) => {
      const url = call.params.required('callback_url');
      if (!URL.canParse(url)) throw words.invalid('callback_url is invalid');
      const id = typeIn(call);
      options.store.write(() => docs.put('callback', { id, at: options.clock.now(), url }));
      return viewOf(id);
    }),
  ];
}
