import { googleSubject } from '../../../platforms/conformance/subjects/google.ts';
import { publishesThroughKills } from '../posts.ts';

publishesThroughKills(googleSubject);
