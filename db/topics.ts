/** What commits tell of: that there may be work of a kind, or more in the log of a workspace. */
export type Topic = 'deliveries' | 'jobs' | 'targets' | `log ${string}`;
