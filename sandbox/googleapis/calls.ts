import type { Caller, Route, RouteCall } from '../kit/api/routes.ts';

/** The one app of the sandbox. */
export const APP = Object.freeze({ id: 'sandbox', name: 'Sandbox app' });

/** The app's project number, in refusals. */
export const PROJECT = '100000000001';

/** A Google user through the app, as the profile that the grant is bound to. */
export type GoogleCaller = Caller & Readonly<{ profiles: readonly string[] }>;
export type GoogleCall = RouteCall<GoogleCaller>;
export type GoogleRoute = Route<GoogleCaller>;
