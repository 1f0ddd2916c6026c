import { googleSubject } from '../../platforms/conformance/google.ts';
import { publishesThroughKills } from './posts.ts';

publishesThroughKills(googleSubject);
