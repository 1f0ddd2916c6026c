/** The page with a link to the payment provider. */
export const BILLING = '/dashboard/billing';
