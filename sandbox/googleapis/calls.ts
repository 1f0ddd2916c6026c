import type { Caller, Route, RouteCall } from '../kit/api/routes.ts';

export const APP = Object.freeze({ id: 'sandbox', name: 'Sandbox app' });

export const PROJECT = '100000000001';

/** A Google user who calls through the app; `profiles` holds the profile that was granted. */
export type GoogleCaller = Caller & Readonly<{ profiles: readonly string[] }>;
export type GoogleCall = RouteCall<GoogleCaller>;
export type GoogleRoute = Route<GoogleCaller>;
