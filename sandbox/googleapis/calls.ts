import type { Caller, Route, RouteCall } from '../kit/api/routes.ts';

/** The one app of the sandbox. */
export const APP = Object.freeze({ id: 'sandbox', name: 'Sandbox app' });

/** The number of the project that the app belongs to, in refusals. */
export const PROJECT = '100000000001';

/** Who calls: a person of Google through the app, as the profile that the grant is bound to. */
export type GoogleCaller = Caller & Readonly<{ profiles: readonly string[] }>;
export type GoogleCall = RouteCall<GoogleCaller>;
export type GoogleRoute = Route<GoogleCaller>;
