/** The page that leads to where a subscription is paid. */
export const BILLING = '/dashboard/billing';
