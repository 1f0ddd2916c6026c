export const PEOPLE = '/dashboard/people';
export const ROLE = `${PEOPLE}/role`;
export const REMOVE = `${PEOPLE}/remove`;
export const HAND_OVER = `${PEOPLE}/hand-over`;
export const INVITE = `${PEOPLE}/invite`;
export const INVITED = `${PEOPLE}/invited`;
export const REVOKE = `${PEOPLE}/revoke`;
