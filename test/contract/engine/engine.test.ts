import { INTERFACE_PROFILE } from '../../../src/venues/interface-profile.ts';
import { engineSuite } from './engine-suite.ts';
import { OTHER_PROFILE } from './other-profile.ts';

engineSuite('the exchange of the interface', INTERFACE_PROFILE);
engineSuite('another exchange', OTHER_PROFILE);
